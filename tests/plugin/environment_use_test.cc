// SPDX-License-Identifier: Apache-2.0
// Tests what tracekin and its libraries read of the environment, when, and in a set-user-ID
// program.
//
// A host may change its environment at any time, which reallocates it. No thread except the host's
// own may read it then.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <netdb.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/fork.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kSkipped = 77;  // secure_host's status if it has no more rights than its user

void ClearProxies() {
  for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                           "no_proxy", "NO_PROXY", "SSLKEYLOGFILE"}) {
    unsetenv(name);
  }
}

std::string Configuration(const std::string& exporter) {
  return R"({"service_name": "test", "exporter": {"flush_interval_ms": 1, "retry_backoff_ms": 1,
             "retry_max_backoff_ms": 1, "close_timeout_ms": 500, )" +
         exporter + "}}";
}

std::string Endpoint(const std::string& url) { return R"("endpoint": ")" + url + '"'; }

std::shared_ptr<Tracer> Make(const std::string& exporter) {
  std::string error;
  auto tracer = MakeTracerFromJson(Configuration(exporter), &error);
  if (tracer == nullptr) std::fprintf(stderr, "%s\n", error.c_str());
  if (tracer == nullptr) std::_Exit(100);
  return tracer;
}

/// From now on, any thread that reads a variable crashes.
void HideEnvironment() {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  environ = static_cast<char**>(page);
}

/// Runs `body` in a forked process and returns its status like waitpid().
template <class Body>
int StatusOf(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::_Exit(0);
  }
  return AwaitChild(child);
}

/// Sends three batches, one after another, with the environment hidden. Returns how many spans were
/// exported.
std::uint64_t ExportWithHiddenEnvironment(const std::string& exporter) {
  setlocale(LC_ALL, "C.UTF-8");  // error messages are translated in any locale but "C"
  const auto tracer = Make(exporter);
  HideEnvironment();
  for (int i = 0; i < 3; ++i) {
    tracer->StartSpan("operation")->Finish();
    tracer->Flush(seconds(10));
  }
  tracer->Close();
  return tracer->counters().exported;
}

class HiddenEnvironment : public ::testing::Test {
 protected:
  HiddenEnvironment() {
    TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
    ClearProxies();
  }
};

TEST_F(HiddenEnvironment, IsNotReadWhileSpansAreSentOverHttp) {
  EXPECT_EQ(StatusOf([] {
              FaultServer server([](FaultServer::Connection& c) {
                c.Answer("202 Accepted", {}, "Connection: close\r\n");
                c.Close();
              });
              if (ExportWithHiddenEnvironment(Endpoint(server.url())) != 3) std::_Exit(3);
              if (server.connections() != 3) std::_Exit(4);
            }),
            0);
}

TEST_F(HiddenEnvironment, IsNotReadWhileSpansAreSentOverHttps) {
  const Certificates certificates;
  certificates.MakeForLocalCollector();
  const TlsServer server({"--close", certificates.Path("good.pem"), certificates.Path("good.key")});
  const std::string ca = R"(, "ca_file": ")" + certificates.Path("ca.pem") + '"';
  EXPECT_EQ(StatusOf([&] {
              const auto exported =
                  ExportWithHiddenEnvironment(Endpoint(server.Url("127.0.0.1")) + ca);
              if (exported != 3) std::_Exit(3);
            }),
            0);
}

TEST_F(HiddenEnvironment, IsNotReadWhileSpansAreSentThroughAProxy) {
  EXPECT_EQ(StatusOf([] {
              FaultServer proxy([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
              setenv("http_proxy", proxy.url().c_str(), 1);
              if (ExportWithHiddenEnvironment(Endpoint("http://zipkin.example/")) != 3)
                std::_Exit(3);
              const std::string line = "POST http://zipkin.example/ HTTP/1.1\r\n";
              if (proxy.requests().at(0).substr(0, line.size()) != line) std::_Exit(4);
            }),
            0);
}

TEST_F(HiddenEnvironment, IsNotReadForTheTextOfAnError) {
  EXPECT_EQ(StatusOf([] { ExportWithHiddenEnvironment(Endpoint("http://127.0.0.1:1/")); }), 0);
  EXPECT_EQ(StatusOf([] { ExportWithHiddenEnvironment(R"("path": "/proc/no/spans")"); }), 0);
  EXPECT_EQ(StatusOf([] {
              ExportWithHiddenEnvironment(Endpoint("http://127.0.0.1:1/") +
                                          R"(, "spool_path": "/proc/no/spool")");
            }),
            0);
}

#ifdef TRACEKIN_HAVE_THRIFT
TEST_F(HiddenEnvironment, IsNotReadWhileSpansAreSentToScribe) {
  EXPECT_EQ(StatusOf([] {
              FaultServer server([](FaultServer::Connection& c) { c.Close(); });
              ExportWithHiddenEnvironment(
                  Endpoint("scribe://127.0.0.1:" + std::to_string(server.port())));
              if (server.connections() < 2) std::_Exit(3);
            }),
            0);
}
#endif

// Documents a limit: names are resolved by the C library, which reads RES_OPTIONS and LOCALDOMAIN
// on each thread that resolves its first name. A host that keeps changing its environment should
// specify the endpoint as an address.
TEST_F(HiddenEnvironment, IsReadByTheCLibraryWhereANameIsResolved) {
  const int status = StatusOf([] {
    std::signal(SIGSEGV, SIG_DFL);
    HideEnvironment();
    std::thread([] {
      addrinfo* addresses = nullptr;
      if (getaddrinfo("collector.invalid", "80", nullptr, &addresses) == 0) freeaddrinfo(addresses);
    }).join();
  });
  EXPECT_TRUE(WIFSIGNALED(status)) << "the C library has changed: docs/reliability.md names this";
}

#ifdef TRACEKIN_HAVE_KAFKA
// Documents a limit: Debian's librdkafka initialises Cyrus SASL with its first producer, on the
// sender thread, and SASL reads SASL_PATH and SASL_CONF_PATH. A host must change its environment
// before it makes the tracer, or after the first batch.
TEST_F(HiddenEnvironment, IsReadByLibrdkafkaWhenItMakesAProducer) {
  const int status = StatusOf([] {
    ExportWithHiddenEnvironment(
        R"("type": "kafka", "kafka_brokers": "127.0.0.1:1", "timeout_ms": 500)");
  });
  EXPECT_TRUE(WIFSIGNALED(status)) << "librdkafka has changed: docs/reliability.md names this";
}
#endif

TEST_F(HiddenEnvironment, MayBeChangedAllTheTimeByTheHost) {
  EXPECT_EQ(StatusOf([] {
              FaultServer server([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
              const auto tracer = Make(Endpoint(server.url()));
              for (int i = 0; tracer->counters().exported < 500; ++i) {
                if (tracer->counters().queued == 0) tracer->StartSpan("operation")->Finish();
                setenv(("VARIABLE_" + std::to_string(i)).c_str(), "value", 1);
                if (i % 1000 == 999) clearenv();
              }
            }),
            0);
}

class SetUserId : public ::testing::Test {
 protected:
  SetUserId() {
    ClearProxies();
    if (geteuid() != 0) {
      skipped_ = "only root can make a set-user-ID program of root's";
      return;
    }
    host_ = folder_.path() + "/host";
    std::filesystem::copy_file(TRACEKIN_SECURE_HOST, host_);
    EXPECT_EQ(chmod(folder_.path().c_str(), 0755), 0);
    EXPECT_EQ(chmod(host_.c_str(), 04755), 0);
  }

  void SetUp() override {
    if (!skipped_.empty()) GTEST_SKIP() << skipped_;
  }

  /// Runs the host as the user nobody with this variable, and returns its output.
  std::string RunAsNobody(const std::string& exporter, const std::string& variable) {
    int output[2];
    EXPECT_EQ(pipe(output), 0);
    std::string configuration = Configuration(exporter);
    std::string environment = variable;
    const pid_t child = fork();
    if (child == 0) {
      dup2(output[1], STDOUT_FILENO);
      char* const argv[] = {host_.data(), configuration.data(), nullptr};
      char* const envp[] = {environment.data(), nullptr};
      constexpr int kNobody = 65534;
      if (setgid(kNobody) == 0 && setuid(kNobody) == 0) execve(argv[0], argv, envp);
      std::_Exit(127);
    }
    close(output[1]);
    std::string printed;
    char text[1000];
    for (ssize_t size; (size = read(output[0], text, sizeof text)) > 0;) {
      printed.append(text, static_cast<std::size_t>(size));
    }
    close(output[0]);
    const int status = AwaitChild(child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == kSkipped)
      skipped_ = "set-user-ID has no effect in " + folder_.path();
    return printed;
  }

  const TempFolder folder_;
  std::string host_;
  std::string skipped_;
};

TEST_F(SetUserId, SpansDoNotGoToTheProxyOfItsUser) {
  FaultServer collector([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
  FaultServer proxy([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
  for (const char* name : {"http_proxy=", "all_proxy=", "ALL_PROXY="}) {
    const std::string printed = RunAsNobody(Endpoint(collector.url()), name + proxy.url());
    SetUp();
    EXPECT_EQ(printed, "exported 1\n");
    EXPECT_EQ(proxy.connections(), 0) << name;
  }
  EXPECT_EQ(collector.requests().size(), 3U);
}

TEST_F(SetUserId, KeysOfConnectionsAreNotWrittenWhereItsUserWantsThem) {
  const std::string keys = folder_.path() + "/keys";
  for (const char* url : {"https://127.0.0.1:1/", "http://127.0.0.1:1/"}) {
    const std::string printed = RunAsNobody(Endpoint(url), "SSLKEYLOGFILE=" + keys);
    SetUp();
    EXPECT_THAT(printed, StartsWith("SSLKEYLOGFILE is set in a set-user-ID program"));
    EXPECT_FALSE(std::filesystem::exists(keys));
  }
  EXPECT_EQ(RunAsNobody(Endpoint("https://127.0.0.1:1/"), "SSLKEYLOGFILE="), "exported 0\n");
}

}  // namespace
}  // namespace tracekin::testing
