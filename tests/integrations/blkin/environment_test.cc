// SPDX-License-Identifier: Apache-2.0
// Tests the tracer that the environment configures, and how blkin_init uses it.

#include "integrations/blkin/environment.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>

#include "integrations/blkin/process.h"
#include "integrations/blkin/record.h"
#include "tests/support/fork.h"
#include "tests/support/span_file.h"
#include "tests/support/temp_folder.h"
#include "tracekin/blkin.h"

namespace tracekin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BlkinEnvironment : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const auto& variable : set_) unsetenv(variable.c_str());
  }

  void Set(const std::string& variable, const std::string& value) {
    setenv(variable.c_str(), value.c_str(), 1);
    set_.push_back(variable);
  }

  std::string Write(const std::string& text) {
    std::ofstream(folder_.path() + "/tracekin.json") << text;
    return folder_.path() + "/tracekin.json";
  }

  // Returns the service name of the first span in `file`, or "(none)".
  static std::string ServiceIn(const SpanFile& file) {
    std::ifstream in(file.path());
    std::string line;
    std::getline(in, line);
    const std::string key = "\"serviceName\":\"";
    const std::size_t at = line.find(key);
    if (at == std::string::npos) return "(none)";
    const std::size_t begin = at + key.size();
    return line.substr(begin, line.find('"', begin) - begin);
  }

  const TempFolder folder_;
  std::string error_;

 private:
  std::vector<std::string> set_;
};

TEST_F(BlkinEnvironment, AsksForNoneByItself) {
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_EQ(error_, "");
}

TEST_F(BlkinEnvironment, VariablesThatSayNotWhereSpansGoAskForNone) {
  Set("TRACEKIN_SERVICE_NAME", "osd");
  Set("TRACEKIN_SAMPLER_TYPE", "never");
  Set("TRACEKIN_CONFIG", "");
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_EQ(error_, "");
}

TEST_F(BlkinEnvironment, AVariableMaySayWhereSpansGo) {
  const std::map<std::string, std::string> ways = {
      {"TRACEKIN_EXPORTER_ENDPOINT", "http://127.0.0.1:1/api/v2/spans"},
      {"TRACEKIN_EXPORTER_PATH", folder_.path() + "/spans"},
      {"TRACEKIN_EXPORTER_TYPE", "file"}};
  for (const auto& [variable, value] : ways) {
    setenv(variable.c_str(), value.c_str(), 1);
    EXPECT_NE(blkin::TracerOfEnvironment(&error_), nullptr) << variable << ": " << error_;
    unsetenv(variable.c_str());
  }
  EXPECT_EQ(error_, "");
}

TEST_F(BlkinEnvironment, AFileMaySayAll) {
  const SpanFile file;
  Set("TRACEKIN_CONFIG",
      Write(R"({"service_name": "osd", "exporter": {"path": ")" + file.path() + R"("}})"));
  const auto tracer = blkin::TracerOfEnvironment(&error_);
  ASSERT_NE(tracer, nullptr) << error_;
  tracer->StartSpan("a")->Finish();
  tracer->Close();
  EXPECT_EQ(ServiceIn(file), "osd");
}

TEST_F(BlkinEnvironment, VariablesGoBeforeTheFile) {
  const SpanFile file;
  Set("TRACEKIN_CONFIG", Write(R"({"service_name": "osd"})"));
  Set("TRACEKIN_EXPORTER_PATH", file.path());
  Set("TRACEKIN_SERVICE_NAME", "mon");
  const auto tracer = blkin::TracerOfEnvironment(&error_);
  ASSERT_NE(tracer, nullptr) << error_;
  tracer->StartSpan("a")->Finish();
  tracer->Close();
  EXPECT_EQ(ServiceIn(file), "mon");
}

TEST_F(BlkinEnvironment, TheProgramIsTheService) {
  const SpanFile file;
  Set("TRACEKIN_EXPORTER_PATH", file.path());
  const auto tracer = blkin::TracerOfEnvironment(&error_);
  ASSERT_NE(tracer, nullptr) << error_;
  tracer->StartSpan("a")->Finish();
  tracer->Close();
  EXPECT_EQ(ServiceIn(file), "blkin_environment_test");
}

TEST_F(BlkinEnvironment, AWrongOneIsAnErrorThatSaysWhatIsWrong) {
  Set("TRACEKIN_CONFIG", "/nonexistent/tracekin.json");
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_THAT(error_, HasSubstr("/nonexistent/tracekin.json"));
  Set("TRACEKIN_CONFIG", folder_.path());  // a folder, not a file
  error_.clear();
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_THAT(error_, HasSubstr(folder_.path()));
  Set("TRACEKIN_CONFIG", Write(R"({"exportr": {}})"));
  error_.clear();
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_THAT(error_, HasSubstr("exportr"));
  EXPECT_THAT(error_, HasSubstr("tracekin.json"));
  Set("TRACEKIN_CONFIG", Write(std::string(2 << 20, ' ')));
  error_.clear();
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_NE(error_, "");
  unsetenv("TRACEKIN_CONFIG");
  Set("TRACEKIN_EXPORTER_ENDPOINT", "gopher://127.0.0.1");
  error_.clear();
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_NE(error_, "");
}

// Each of these tests runs in a separate process, because a process reads its environment only
// once.

void Record(std::int64_t span_id, const char* event) {
  blkin::RecordTimestamp({{1, span_id, 0}, "op", "", "10.0.0.1", 1}, event);
}

TEST_F(BlkinEnvironment, TheFirstRecordMakesTheTracerAndExitReportsWhatIsLeft) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const SpanFile file;
  Set("TRACEKIN_EXPORTER_PATH", file.path());
  const pid_t child = fork();
  if (child == 0) {
    Record(1, "end");
    Record(2, "no end");
    exit(0);
  }
  EXPECT_EQ(AwaitChild(child), 0);
  EXPECT_THAT(file.Values("id"), ElementsAre("0000000000000001", "0000000000000002"));
  EXPECT_EQ(ServiceIn(file), "blkin_environment_test");  // the record does not name one
}

TEST_F(BlkinEnvironment, AWrongOneFailsInitOnceAndForAll) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  Set("TRACEKIN_CONFIG", "/nonexistent/tracekin.json");
  InFork([] {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(blkin::Initialise(), -EINVAL);
    EXPECT_EQ(blkin::Initialise(), -EINVAL);
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(),
        ::testing::EndsWith("]: BlkKin's spans are not exported: TRACEKIN_CONFIG: cannot "
                            "read /nonexistent/tracekin.json: No such file or directory\n"));
    Record(1, "end");  // still allowed
  });
}

TEST_F(BlkinEnvironment, AFifoIsNotWaitedFor) {
  const std::string fifo = folder_.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Set("TRACEKIN_CONFIG", fifo);
  EXPECT_EQ(blkin::TracerOfEnvironment(&error_), nullptr);
  EXPECT_EQ(error_, "TRACEKIN_CONFIG: cannot read " + fifo + ": not a regular file");
}

TEST_F(BlkinEnvironment, AProgramsOwnTracerGoesBeforeIt) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const SpanFile others("others"), own("own");
  Set("TRACEKIN_EXPORTER_PATH", others.path());
  InFork([&own] {
    Options options;
    options.service_name = "own";
    options.exporter.path = own.path();
    SetBlkinTracer(MakeTracer(options));
    EXPECT_EQ(blkin::Initialise(), 0);
    Record(1, "end");
    EXPECT_TRUE(FlushBlkin(std::chrono::seconds(20)));
  });
  EXPECT_THAT(own.Values("id"), ElementsAre("0000000000000001"));
  EXPECT_THAT(others.Values("id"), IsEmpty());
}

}  // namespace
}  // namespace tracekin::testing
