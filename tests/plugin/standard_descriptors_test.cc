// SPDX-License-Identifier: Apache-2.0
// Tests hosts that have closed standard input, output and error. No descriptor of tracekin may get
// their numbers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/standard_descriptors.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/support/fork.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using std::chrono::seconds;

void CloseStandardDescriptors() {
  for (int number = 0; number <= STDERR_FILENO; ++number) close(number);
}

std::shared_ptr<Tracer> Make(const std::string& exporter) {
  return MakeTracerFromJson(R"({"service_name": "test", "exporter": {"flush_interval_ms": 1,
                                "retry_backoff_ms": 1, "retry_max_backoff_ms": 1,
                                "timeout_ms": 1000, "close_timeout_ms": 500, )" +
                            exporter + "}}");
}

std::string Endpoint(const std::string& url) { return R"("endpoint": ")" + url + '"'; }

/// Exits with a non-zero status if 0, 1 or 2 can be written to.
void WriteToStandardDescriptors() {
  for (int number = 0; number <= STDERR_FILENO; ++number) {
    if (write(number, "HOST", 4) != -1) std::_Exit(10 + number);
  }
}

/// Runs a host that closes its standard descriptors, either before or after it makes the tracer,
/// and then sends three batches. Returns its exit status.
///
/// Without `writes` the host checks the descriptors only at the end, because a new file has the
/// number from open() for a moment.
int StatusOf(bool closes_first, const std::string& exporter, bool writes = true) {
  const pid_t child = fork();
  if (child == 0) {
    if (closes_first) CloseStandardDescriptors();
    const auto tracer = Make(exporter);
    if (tracer == nullptr) std::_Exit(3);
    if (!closes_first) CloseStandardDescriptors();
    for (int i = 0; i < 3; ++i) {
      tracer->StartSpan("operation")->Finish();
      tracer->Flush(seconds(10));
      if (writes) WriteToStandardDescriptors();
    }
    tracer->Close();
    for (int number = 0; number <= STDERR_FILENO; ++number) {
      if (!Eventually([number] { return fcntl(number, F_GETFD) == -1; })) std::_Exit(20 + number);
    }
    std::_Exit(0);
  }
  return AwaitChild(child);
}

class HostWithoutStandardDescriptors : public ::testing::TestWithParam<bool> {
 protected:
  HostWithoutStandardDescriptors() { TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK(); }

  const TempFolder folder_;
};

TEST_P(HostWithoutStandardDescriptors, DoesNotWriteToAnHttpCollector) {
  const FaultServer server([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
  EXPECT_EQ(StatusOf(GetParam(), Endpoint(server.url())), 0);
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST_P(HostWithoutStandardDescriptors, DoesNotWriteToAnHttpsCollector) {
  const Certificates certificates;
  certificates.MakeForLocalCollector();
  TlsServer server({certificates.Path("good.pem"), certificates.Path("good.key")});
  ASSERT_EQ(StatusOf(GetParam(), Endpoint(server.Url("127.0.0.1")) + R"(, "ca_file": ")" +
                                     certificates.Path("ca.pem") + '"'),
            0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.Line().substr(0, 7), "nobody ");
}

TEST_P(HostWithoutStandardDescriptors, DoesNotWriteIntoTheFileOfSpans) {
  const std::string path = folder_.path() + "/spans";
  EXPECT_EQ(StatusOf(GetParam(), R"("path": ")" + path + '"'), 0);
  std::ifstream file(path);
  const std::string spans{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(spans, "");
  EXPECT_EQ(spans.find("HOST"), std::string::npos);
}

TEST_P(HostWithoutStandardDescriptors, KeepsTheSpoolTheMetricsAndTheCredentialAway) {
  const std::string token = folder_.path() + "/token";
  std::ofstream(token) << "token";
  EXPECT_EQ(StatusOf(GetParam(),
                     Endpoint("http://127.0.0.1:1/") + R"(, "spool_path": ")" + folder_.path() +
                         R"(/spool", "metrics_path": ")" + folder_.path() +
                         R"(/metrics", "metrics_interval_ms": 100,
                                     "bearer_file": ")" +
                         token + '"',
                     false),
            0);
}

#ifdef TRACEKIN_HAVE_THRIFT
TEST_P(HostWithoutStandardDescriptors, DoesNotWriteToScribe) {
  const FaultServer server([](FaultServer::Connection& c) { c.WaitForPeer(); });
  EXPECT_EQ(StatusOf(GetParam(), Endpoint("scribe://127.0.0.1:" + std::to_string(server.port()))),
            0);
}
#endif

INSTANTIATE_TEST_SUITE_P(Ways, HostWithoutStandardDescriptors, ::testing::Bool(),
                         [](const auto& way) {
                           return std::string(way.param ? "FromTheStart" : "Later");
                         });

TEST(StandardDescriptorsTaken, AreGivenBackByTheLastOfSeveral) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const pid_t child = fork();
  if (child == 0) {
    CloseStandardDescriptors();
    auto first = std::make_unique<StandardDescriptorsTaken>();
    auto second = std::make_unique<StandardDescriptorsTaken>();
    first.reset();
    if (dup(0) <= STDERR_FILENO) std::_Exit(1);
    second.reset();
    if (fcntl(STDIN_FILENO, F_GETFD) != -1) std::_Exit(2);
    std::_Exit(0);
  }
  EXPECT_EQ(AwaitChild(child), 0);
}

TEST(StandardDescriptorsTaken, AreGivenBackUnlessTheHostHasOpenedItsOwn) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const pid_t child = fork();
  if (child == 0) {
    CloseStandardDescriptors();
    {
      const StandardDescriptorsTaken taken;
      if (AboveStandardDescriptors(dup(0)) <= STDERR_FILENO) std::_Exit(1);
      char byte;
      if (read(STDIN_FILENO, &byte, 1) != -1 || errno != EAGAIN) std::_Exit(2);
      if (write(STDERR_FILENO, "HOST", 4) != -1) std::_Exit(3);
      close(STDOUT_FILENO);
      if (open("/dev/null", O_WRONLY) != STDOUT_FILENO) std::_Exit(4);
    }
    if (fcntl(STDIN_FILENO, F_GETFD) != -1 || fcntl(STDERR_FILENO, F_GETFD) != -1) std::_Exit(5);
    if (write(STDOUT_FILENO, "HOST", 4) != 4) std::_Exit(6);
    const int opened = AboveStandardDescriptors(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (opened <= STDERR_FILENO || fcntl(opened, F_GETFD) != FD_CLOEXEC) std::_Exit(7);
    if (fcntl(STDIN_FILENO, F_GETFD) != -1) std::_Exit(8);
    std::_Exit(0);
  }
  EXPECT_EQ(AwaitChild(child), 0);
}

}  // namespace
}  // namespace tracekin::testing
