// SPDX-License-Identifier: Apache-2.0
#include "tracer/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "base/standard_error.h"
#include "tests/support/fork.h"
#include "tests/support/temp_folder.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Options WithTarget(const std::string& target) {
  Options options;
  options.service_name = "edge";
  options.exporter.path = "/dev/null";
  options.log.target = target;
  return options;
}

TEST(LogLine, HasTimeProcessAndService) {
  EXPECT_THAT(LogLine("edge", "hello"),
              MatchesRegex("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9][.]"
                           "[0-9]{3}Z tracekin\\[[0-9]+\\] edge: hello"));
  EXPECT_THAT(LogLine("", "hello"), HasSubstr("]: hello"));
}

TEST(Log, GoesToAFileThatMayBeRenamed) {
  const TempFolder folder;
  const std::string path = folder.path() + "/log";
  const Logger log = LoggerOf(WithTarget(path));
  log(LogLevel::kInfo, "one");
  ASSERT_EQ(rename(path.c_str(), (path + ".1").c_str()), 0);
  log(LogLevel::kInfo, "two");
  EXPECT_THAT(Contents(path + ".1"), HasSubstr(" edge: one\n"));
  EXPECT_THAT(Contents(path), HasSubstr(" edge: two\n"));
}

TEST(Log, ThatCannotBeWrittenGoesToStandardError) {
  ::testing::internal::CaptureStderr();
  LoggerOf(WithTarget("/nowhere/log"))(LogLevel::kInfo, "here");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(" edge: here\n"));
}

TEST(Log, BeginsWithWhatTheTracerDoes) {
  const TempFolder folder;
  const std::string path = folder.path() + "/log";
  Options options = WithTarget(path);
  options.sampler.rate = 0.01;
  options.exporter.endpoint = "http://me:secret@127.0.0.1:1/api/v2/spans";
  options.exporter.close_timeout_ms = 0;
  MakeTracer(options)->Close();
  EXPECT_THAT(Contents(path),
              HasSubstr(" edge: version 0.2.0; spans to zipkin, as json to "
                        "http://me:***@127.0.0.1:1/api/v2/spans; sampler: 1 % of traces; "));
}

TEST(Log, NamesTheCollectorAndTheFileOfItsCredential) {
  const TempFolder folder;
  const std::string token = folder.path() + "/token";
  std::ofstream(token) << "secret";
  const auto log_of = [&folder](const std::string& endpoint, const std::string& bearer_file) {
    Options options = WithTarget(folder.path() + "/log");
    options.exporter.endpoint = endpoint;
    options.exporter.bearer_file = bearer_file;
    options.exporter.close_timeout_ms = 1000;
    const auto tracer = MakeTracer(options);
    tracer->StartSpan("a");
    tracer->Close();
    return Contents(folder.path() + "/log");
  };
  EXPECT_THAT(log_of("http://127.0.0.1:1/api/v2/spans", token),
              HasSubstr(" [http://127.0.0.1:1/api/v2/spans, credential from " + token + "]"));
  const std::string log = log_of("http://me:secret@127.0.0.1:1/api/v2/spans", "");
  EXPECT_THAT(log, HasSubstr(" [http://127.0.0.1:1/api/v2/spans]"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("secret")));
}

// Binds /dev/log's stand-in and returns its descriptor.
int SyslogAt(const std::string& path) {
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

TEST(Log, GoesToSyslog) {
  const TempFolder folder;
  const std::string path = folder.path() + "/log";
  EXPECT_FALSE(SendToSyslog(LogLevel::kError, "edge", "hello", path.c_str()));
  const int socket = SyslogAt(path);
  EXPECT_TRUE(SendToSyslog(LogLevel::kWarning, "edge", "hello", path.c_str()));
  char text[100] = "";
  EXPECT_GT(recv(socket, text, sizeof text - 1, 0), 0);
  EXPECT_EQ(std::string(text), "<28>tracekin[" + std::to_string(getpid()) + "]: edge: hello");
  while (SendToSyslog(LogLevel::kInfo, "edge", "more", path.c_str())) {
  }
  close(socket);  // a full queue did not block
}

TEST(StandardErrorIsNull, OnlyIfItIsTheNullDevice) {
  InFork([] {
    const int null = open("/dev/null", O_WRONLY);
    ASSERT_EQ(dup2(null, STDERR_FILENO), STDERR_FILENO);
    EXPECT_TRUE(StandardErrorIsNull());
    const int full = open("/dev/full", O_WRONLY);
    ASSERT_EQ(dup2(full, STDERR_FILENO), STDERR_FILENO);
    EXPECT_FALSE(StandardErrorIsNull());
  });
}

TEST(UnknownVariables, AreWarnedOfWithTheNearestName) {
  const TempFolder folder;
  const std::string path = folder.path() + "/log";
  setenv("TRACEKIN_LOG_TARGET", path.c_str(), 1);
  setenv("TRACEKIN_EXPORTER_ENDPIONT", "x", 1);
  setenv("TRACEKIN_SERVCE_NAME", "x", 1);
  setenv("TRACEKIN_EXPORTER_COLOUR_OF_THE_SKY", "x", 1);
  setenv("TRACEKIN_SOMEBODY_ELSES_BUSINESS", "x", 1);
  EXPECT_NE(MakeTracerFromJson(R"({"service_name": "a", "exporter": {"type": "none"}})"), nullptr);
  for (const char* name :
       {"TRACEKIN_LOG_TARGET", "TRACEKIN_EXPORTER_ENDPIONT", "TRACEKIN_SERVCE_NAME",
        "TRACEKIN_EXPORTER_COLOUR_OF_THE_SKY", "TRACEKIN_SOMEBODY_ELSES_BUSINESS"}) {
    unsetenv(name);
  }
  const std::string log = Contents(path);
  EXPECT_THAT(log, HasSubstr("unknown environment variable \"TRACEKIN_EXPORTER_ENDPIONT\"; did you "
                             "mean TRACEKIN_EXPORTER_ENDPOINT?\n"));
  EXPECT_THAT(log, HasSubstr("did you mean TRACEKIN_SERVICE_NAME?\n"));
  EXPECT_THAT(log, HasSubstr("\"TRACEKIN_EXPORTER_COLOUR_OF_THE_SKY\"\n"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr("ELSES")));
}

}  // namespace
}  // namespace tracekin::testing
