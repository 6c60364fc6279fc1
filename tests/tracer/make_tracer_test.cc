// SPDX-License-Identifier: Apache-2.0
// Tests MakeTracer: the behaviour, from creation to destruction, of a tracer made from options
// alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/carriers.h"
#include "tests/support/fork.h"
#include "tests/support/span_file.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MakeTracerTest : public ::testing::Test {
 protected:
  /// Makes a tracer whose spans are written to `path` when they are flushed.
  static std::shared_ptr<Tracer> Make(const std::string& path) {
    Options options;
    options.service_name = "test";
    options.exporter.path = path;
    options.exporter.flush_interval_ms = 60'000;
    std::string error;
    auto tracer = MakeTracer(options, &error);
    EXPECT_NE(tracer, nullptr) << error;
    return tracer;
  }

  const SpanFile file_;
};

constexpr uid_t kNobody = 65534;
using Names = std::vector<std::string>;

TEST_F(MakeTracerTest, StartsTheExportersThreadsInEachProcess) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const std::size_t before = ThreadCount();
  auto tracer = Make(file_.path());
  EXPECT_EQ(ThreadCount(), before + 2);
  InFork([] { EXPECT_EQ(ThreadCount(), 3u); });
  tracer.reset();
  EXPECT_TRUE(Eventually([before] { return ThreadCount() == before; }));
  InFork([] { EXPECT_EQ(ThreadCount(), 1u); });
}

// Other services may export their part of the trace.
TEST_F(MakeTracerTest, WithoutExporterHasNoThreadsAndCarriesDecisionsOn) {
  const std::size_t before = ThreadCount();
  Options options;
  options.service_name = "test";
  options.exporter.type = "none";
  options.exporter.path = file_.path();
  const auto tracer = MakeTracer(options, nullptr);
  ASSERT_NE(tracer, nullptr);
  const auto span = tracer->StartSpan("a");
  span->SetTag("sampling.priority", 1);
  Pairs carrier;
  ASSERT_TRUE(
      tracer->Inject(span->context(), static_cast<const opentracing::HTTPHeadersWriter&>(carrier)));
  EXPECT_EQ(carrier.Map().at("b3").substr(49), "-1");
  EXPECT_EQ(tracer->counters().open, 1u);
  span->Finish();
  EXPECT_TRUE(tracer->Flush(std::chrono::seconds(0)));
  EXPECT_EQ(ThreadCount(), before);
  tracer->Close();
  tracer->StartSpan("late");
  EXPECT_EQ(tracer->counters().started, 2u);
  EXPECT_EQ(tracer->counters().unsampled, 2u);
  EXPECT_FALSE(std::filesystem::exists(file_.path()));
}

// HAProxy denies itself new threads before it serves its first request, unless it runs as root.
TEST_F(MakeTracerTest, ExportsWhereNoThreadMayBeStartedLater) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const auto tracer = Make(file_.path());
  InFork([&] {
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_NPROC, &none), 0);
    if (geteuid() == 0) {  // the limit does not apply to root
      ASSERT_EQ(setuid(kNobody), 0);
    }
    ASSERT_THROW(std::thread([] {}).join(), std::system_error);
    tracer->StartSpan("child");
    EXPECT_TRUE(tracer->Flush(std::chrono::seconds(30)));
  });
  EXPECT_EQ(file_.Values("name"), Names{"child"});
}

TEST_F(MakeTracerTest, KeepsItsFileWhenTheHostChangesItsFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path path(file_.path());
  std::filesystem::current_path(path.parent_path());
  const auto tracer = Make(path.filename());
  std::filesystem::current_path("/");
  tracer->StartSpan("a");
  tracer->Close();
  std::filesystem::current_path(before);
  EXPECT_EQ(file_.Values("name"), Names{"a"});
}

TEST_F(MakeTracerTest, SendsAtExitWhatNobodyHasClosed) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  InFork([this] {
    static const auto* const kept = new std::shared_ptr<Tracer>(Make(file_.path()));
    (*kept)->StartSpan("a");
    std::exit(0);
  });
  EXPECT_EQ(file_.Values("name"), Names{"a"});
}

// Returns the lines that are logged while a tracer with `exporter` is made.
std::vector<std::string> LoggedFor(const ExporterOptions& exporter) {
  Options options;
  options.service_name = "a";
  options.exporter = exporter;
  options.exporter.close_timeout_ms = 0;
  std::vector<std::string> logged;
  options.logger = [&logged](LogLevel, const std::string& line) { logged.push_back(line); };
  std::string error;
  EXPECT_NE(MakeTracer(options, &error), nullptr) << error;
  return logged;
}

TEST(MakeTracerLogTest, WarnsOfCredentialsThatOthersCouldRead) {
  ExporterOptions options;
  const auto warns = [&options](const std::string& endpoint) {
    options.endpoint = endpoint;
    for (const std::string& line : LoggedFor(options)) {
      EXPECT_EQ(line.find("secret"), std::string::npos);
      if (line.find("credentials are sent unencrypted") == 0) return true;
    }
    return false;
  };
  EXPECT_TRUE(warns("http://me:secret@collector.invalid/"));
  EXPECT_FALSE(warns("https://me:secret@collector.invalid/"));
  EXPECT_FALSE(warns("http://me:secret@127.0.0.1:1/"));
  EXPECT_FALSE(warns("http://collector.invalid/"));
  options.bearer_file = "/nonexistent/secret";
  EXPECT_TRUE(warns("http://collector.invalid/"));
  options.unix_socket = "/nonexistent/socket";
  EXPECT_FALSE(warns("http://collector.invalid/"));
}

TEST(MakeTracerLogTest, PrintsNoCredential) {
  ExporterOptions options;
  options.endpoint = "https://127.0.0.1:1/";
  options.headers = {{"Authorization", "Bearer secret"}, {"X-Key", "secret"}};
  Options all;
  all.print_configuration = true;
  all.service_name = "a";
  all.exporter = options;
  std::string logged;
  all.logger = [&logged](LogLevel, const std::string& line) { logged += line; };
  std::string error;
  ASSERT_NE(MakeTracer(all, &error), nullptr) << error;
  EXPECT_NE(logged.find("X-Key"), std::string::npos);
  EXPECT_EQ(logged.find("secret"), std::string::npos);
}

// A program that does not ask for the reason would otherwise only see a null pointer.
TEST(MakeTracerErrorTest, IsWrittenToStandardErrorIfNobodyAsksForIt) {
  const auto written = [](const auto& make) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(make(), nullptr);
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string start = "]: no tracer is made: ";
  EXPECT_THAT(written([] { return MakeTracer(Options()); }), HasSubstr(start + "service_name"));
  EXPECT_THAT(written([] { return MakeTracerFromJson("{"); }), HasSubstr(start));
  EXPECT_THAT(written([] { return MakeTracerFromFile("/nonexistent"); }),
              HasSubstr(start + "cannot read /nonexistent: No such file"));
  EXPECT_THAT(written([] { return MakeTracerFromEnvironment(); }), HasSubstr(start));
  std::string error;
  EXPECT_EQ(written([&error] { return MakeTracer(Options(), &error); }), "");
  EXPECT_NE(error, "");
}

TEST(MakeTracerErrorTest, GoesToTheLoggerIfThereIsOne) {
  Options options;
  std::vector<std::string> errors;
  options.logger = [&errors](LogLevel level, const std::string& line) {
    if (level == LogLevel::kError) errors.push_back(line);
  };
  EXPECT_EQ(MakeTracer(options), nullptr);
  EXPECT_THAT(errors, ElementsAre(StartsWith("no tracer is made: service_name")));
}

class MakeTracerFrom : public ::testing::Test {
 protected:
  ~MakeTracerFrom() override {
    for (const std::string& variable : set_) unsetenv(variable.c_str());
  }

  void Set(const std::string& variable, const std::string& value) {
    setenv(variable.c_str(), value.c_str(), 1);
    set_.push_back(variable);
  }

  // Returns the path of a configuration whose spans go to file_.
  std::string Configuration() const {
    std::ofstream(path_) << R"({"service_name": "from file", "exporter": {"path": ")"
                         << file_.path() << R"("}})";
    return path_;
  }

  void ExpectService(const std::shared_ptr<Tracer>& tracer, const std::string& name) const {
    ASSERT_NE(tracer, nullptr) << error_;
    tracer->StartSpan("a");
    tracer->Close();
    std::string span;
    std::getline(std::ifstream(file_.path()), span);
    EXPECT_THAT(span, HasSubstr(R"("serviceName":")" + name + '"'));
  }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/tracekin.json";
  const SpanFile file_;
  std::string error_;

 private:
  std::vector<std::string> set_;
};

TEST_F(MakeTracerFrom, File) {
  ExpectService(MakeTracerFromFile(Configuration(), &error_), "from file");
}

TEST_F(MakeTracerFrom, FileWithTheEnvironmentBeforeIt) {
  Set("TRACEKIN_SERVICE_NAME", "from environment");
  ExpectService(MakeTracerFromFile(Configuration(), &error_), "from environment");
}

TEST_F(MakeTracerFrom, FileThatIsWrong) {
  std::ofstream(path_) << R"({"exportr": {}})";
  EXPECT_EQ(MakeTracerFromFile(path_, &error_), nullptr);
  EXPECT_THAT(error_, StartsWith(path_ + ": unknown key \"exportr\""));
}

TEST_F(MakeTracerFrom, EnvironmentAlone) {
  Set("TRACEKIN_SERVICE_NAME", "from environment");
  Set("TRACEKIN_EXPORTER_PATH", file_.path());
  ExpectService(MakeTracerFromEnvironment(&error_), "from environment");
}

TEST_F(MakeTracerFrom, EnvironmentThatNamesAFile) {
  Set("TRACEKIN_CONFIG", Configuration());
  ExpectService(MakeTracerFromEnvironment(&error_), "from file");
}

TEST_F(MakeTracerFrom, EnvironmentThatNamesNoFile) {
  Set("TRACEKIN_CONFIG", "/nonexistent");
  EXPECT_EQ(MakeTracerFromEnvironment(&error_), nullptr);
  EXPECT_EQ(error_, "TRACEKIN_CONFIG: cannot read /nonexistent: No such file or directory");
  Set("TRACEKIN_CONFIG", "");
  EXPECT_EQ(MakeTracerFromEnvironment(&error_), nullptr);
  EXPECT_THAT(error_, StartsWith("service_name: not set"));
}

#ifdef TRACEKIN_HAVE_KAFKA
TEST(MakeTracerModuleTest, SaysWhatIsWrongWithItsFile) {
  Options options;
  options.service_name = "a";
  options.exporter.type = "kafka";
  options.exporter.kafka_brokers = "127.0.0.1:1";
  options.exporter.kafka_config_file = "/nonexistent";
  std::string error;
  EXPECT_EQ(MakeTracer(options, &error), nullptr);
  EXPECT_EQ(error, "exporter.kafka_config_file: /nonexistent: No such file or directory");
}
#endif

}  // namespace
}  // namespace tracekin::testing
