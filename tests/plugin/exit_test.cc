// SPDX-License-Identifier: Apache-2.0
// Tests processes that exit with open tracers. Checks that the cleanup of OpenSSL at exit does no
// harm, and that the exporters do not delay the exit too long.
//
// Each case forks a host that loads or links tracekin, and with it libcurl and OpenSSL, like other
// programs. Nothing in this program initialises these libraries earlier.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>
#include <opentracing/tracer.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/attack.h"
#include "tests/support/fork.h"
#include "tests/support/listener.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_server.h"
#include "tests/support/wait.h"
#ifndef TRACEKIN_PLUGIN
#include "tracekin/tracer.h"
#endif

namespace {

// How long SSL_connect() below waits.
std::atomic<int> slow_handshake_ms{0};
std::atomic<int> in_handshake{0};

}  // namespace

// Overrides OpenSSL's function to make a step of the handshake slow, like on an overloaded machine.
extern "C" __attribute__((visibility("default"))) int SSL_connect(void* connection) {
  static const auto real = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "SSL_connect"));
  static const auto loaded = [] {  // used if only the plugin loaded OpenSSL
    void* const library = dlopen("libssl.so.3", RTLD_NOW | RTLD_NOLOAD);
    return library == nullptr ? nullptr
                              : reinterpret_cast<int (*)(void*)>(dlsym(library, "SSL_connect"));
  }();
  ++in_handshake;
  std::this_thread::sleep_for(std::chrono::milliseconds(slow_handshake_ms));
  const int result = (real != nullptr ? real : loaded)(connection);
  --in_handshake;
  return result;
}

namespace tracekin::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::shared_ptr<opentracing::Tracer> Make(const std::string& configuration) {
  std::string error;
#ifdef TRACEKIN_PLUGIN
  static const auto* const plugin = new opentracing::DynamicTracingLibraryHandle(
      std::move(*opentracing::DynamicallyLoadTracingLibrary(TRACEKIN_PLUGIN, error)));
  auto tracer = plugin->tracer_factory().MakeTracer(configuration.c_str(), error).value_or(nullptr);
#else
  auto tracer = MakeTracerFromJson(configuration, &error);
#endif
  if (tracer == nullptr) std::fprintf(stderr, "%s\n", error.c_str());
  if (tracer == nullptr) std::_Exit(100);
  return tracer;
}

/// Forks a process that runs `host` and then exits with 0, unless `host` itself ends the process.
template <class Host>
pid_t Start(Host host) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  host();
  std::exit(0);
}

/// Waits for the process `host`. Returns its exit status, or -1 if it crashes or hangs.
int StatusOf(pid_t host) {
  const int status = AwaitChild(host);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Makes a span and keeps its tracer open until the process exits.
void Report(const std::shared_ptr<opentracing::Tracer>& tracer) {
  static auto* const kept = new std::vector<std::shared_ptr<opentracing::Tracer>>;
  kept->push_back(tracer);
  tracer->StartSpan("operation")->Finish();
}

class ExitTest : public ::testing::Test {
 protected:
  // The certificates are not a static object, because a host would destroy it when it exits.
  static void SetUpTestSuite() {
    certificates_ = new Certificates;
    certificates_->MakeForLocalCollector();
  }
  static void TearDownTestSuite() { delete certificates_; }

  ExitTest() {
    TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
    unsetenv("https_proxy");
    server_ = std::make_unique<TlsServer>(std::vector<std::string>{
        "--close", certificates_->Path("good.pem"), certificates_->Path("good.key")});
  }

  static std::string Configuration(const std::string& url, const std::string& more = {}) {
    return R"({"service_name": "test", "exporter": {"flush_interval_ms": 1, "endpoint": ")" + url +
           R"(", "ca_file": ")" + certificates_->Path("ca.pem") + '"' + more + "}}";
  }
  std::string Https(const std::string& more = {}) const {
    return Configuration(server_->Url("127.0.0.1"), more);
  }

  /// Waits until a batch of one span has arrived.
  void AwaitSpan() { EXPECT_EQ(server_->Line().substr(0, 7), "nobody "); }

  /// Runs a host whose `make_tracer` makes a tracer with TLS. Its first span must arrive, and so
  /// must a span that it reports just before it calls `end`. The latter needs a new connection,
  /// because the server has closed the first.
  template <class MakeTracer, class End>
  void ExpectLastSpan(MakeTracer make_tracer, End end) {
    int arrived[2];
    ASSERT_EQ(pipe(arrived), 0);
    const pid_t host = Start([&] {
      const auto tracer = make_tracer();
      Report(tracer);
      char byte;
      if (read(arrived[0], &byte, 1) != 1) std::_Exit(101);
      Report(tracer);
      end();
    });
    AwaitSpan();
    EXPECT_EQ(write(arrived[1], "a", 1), 1);
    ASSERT_EQ(StatusOf(host), 0);
    AwaitSpan();
    close(arrived[0]);
    close(arrived[1]);
  }

  static Certificates* certificates_;
  std::unique_ptr<TlsServer> server_;
};

Certificates* ExitTest::certificates_ = nullptr;

TEST_F(ExitTest, TheLastSpanOverTlsIsSentAndNothingCrashes) {
  for (int round = 0; round < 20; ++round) {
    ExpectLastSpan([this] { return Make(Https()); }, [] {});
  }
}

TEST_F(ExitTest, ATracerWithTlsMayBeMadeAfterOneWithout) {
  const TempFolder folder;
  const auto make_both = [&] {
    Report(Make(R"({"service_name": "test", "exporter": {"path": ")" + folder.path() +
                R"(/spans"}})"));
    return Make(Https());
  };
  ExpectLastSpan(make_both, [] {});
}

TEST_F(ExitTest, AThreadThatExitsDoesNotCrash) {
  ExpectLastSpan([this] { return Make(Https()); },
                 [] { std::thread([] { std::exit(0); }).join(); });
}

TEST_F(ExitTest, TheFirstHandshakeOfAProcessMayBeItsLast) {
  for (int round = 0; round < 40; ++round) {
    EXPECT_EQ(StatusOf(Start([this, round] {
                Report(Make(Https()));
                std::this_thread::sleep_for(milliseconds(round / 2));
              })),
              0)
        << round;
    AwaitSpan();
  }
}

// The exit handlers that run after tracekin's handler represent the handlers of OpenSSL.
TEST_F(ExitTest, NoThreadIsInsideOfOpenSslWhenItIsCleanedUp) {
  EXPECT_EQ(StatusOf(Start([this] {
              slow_handshake_ms = 300;  // longer than Close() waits beyond its timeout
              std::atexit([] {
                if (in_handshake != 0) std::_Exit(3);
                std::this_thread::sleep_for(milliseconds(2 * slow_handshake_ms));
                if (in_handshake != 0) std::_Exit(4);
              });
              Report(Make(Https(R"(, "close_timeout_ms": 0)")));
              if (!Eventually([] { return in_handshake != 0; })) std::_Exit(102);
            })),
            0);
}

// OpenSSL cannot be used after OPENSSL_cleanup(), so a host that calls this function itself closes
// its tracers first.
TEST_F(ExitTest, AHostThatHasClosedItsTracersMayCleanUpOpenSslItself) {
  const pid_t host = Start([this] {
    const auto tracer = Make(Https());
    Report(tracer);
    tracer->Close();
    void* const library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) std::_Exit(103);
    reinterpret_cast<void (*)()>(dlsym(library, "OPENSSL_cleanup"))();
    Report(tracer);
  });
  AwaitSpan();
  EXPECT_EQ(StatusOf(host), 0);
}

TEST_F(ExitTest, OneThatHasNotMayCrashWhichIsALimit) {
  const pid_t host = Start([this] {
    const auto tracer = Make(Https());
    void* const library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) std::_Exit(103);
    reinterpret_cast<void (*)()>(dlsym(library, "OPENSSL_cleanup"))();
    Report(tracer);
    tracer->Close();
    std::_Exit(104);
  });
  const int status = StatusOf(host);
  EXPECT_TRUE(status == -1 || status == 104) << status;
}

// Demonstrates a limit: locks of OpenSSL that the host's threads held during a fork stay locked in
// the child. The child loses its spans, but is not affected otherwise.
TEST_F(ExitTest, AChildWhoseHandshakeNeverEndsGoesOnAndExitsInTime) {
  EXPECT_EQ(StatusOf(Start([this] {
              const auto tracer = Make(Https(R"(, "close_timeout_ms": 100)"));
              std::exit(StatusOf(Start([&] {
                slow_handshake_ms = 3'600'000;
                Report(tracer);
                if (!Eventually([] { return in_handshake != 0; })) std::_Exit(102);
                tracer->Close();
              })));
            })),
            0);
}

#ifdef TRACEKIN_HAS_KAFKA

// Uses a server as a broker that completes the TLS handshake and then never answers.
class KafkaExitTest : public ExitTest {
 protected:
  KafkaExitTest() {
    std::ofstream(properties_) << "security.protocol=ssl\nreconnect.backoff.ms=0\n"
                               << "ssl.ca.location=" << certificates_->Path("ca.pem") << '\n';
  }

  std::string Configuration() const {
    return R"({"service_name": "test", "exporter": {"type": "kafka", "kafka_brokers": )"
           R"("127.0.0.1:)" +
           server_->port() + R"(", "close_timeout_ms": 100, "kafka_config_file": ")" + properties_ +
           R"("}})";
  }

 private:
  const TempFolder folder_;
  const std::string properties_ = folder_.path() + "/kafka.properties";
};

TEST_F(KafkaExitTest, NoThreadOfLibrdkafkaIsInsideOfOpenSslWhenItIsCleanedUp) {
  EXPECT_EQ(StatusOf(Start([this] {
              slow_handshake_ms = 300;
              std::atexit([] { std::_Exit(in_handshake == 0 ? 0 : 3); });
              [[maybe_unused]] static const auto* const kept = new auto(Make(Configuration()));
              if (!Eventually([] { return in_handshake != 0; })) std::_Exit(102);
            })),
            0);
}

TEST_F(KafkaExitTest, NothingCrashesWhereverTheHandshakeIs) {
  const int hosts = Attacks(20);
  for (int round = 0; round < hosts; ++round) {
    EXPECT_EQ(StatusOf(Start([this, round] {
                Report(Make(Configuration()));
                std::this_thread::sleep_for(milliseconds(round % 20));
              })),
              0)
        << round;
  }
}

#endif

class ExitTimeTest : public ::testing::Test {
 protected:
  ExitTimeTest() { TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK(); }

  static constexpr milliseconds kCloseTimeout{2000};

  std::string Configuration() const {
    return R"({"service_name": "test", "exporter": {"timeout_ms": 600000, "endpoint": "http://)" +
           silent_.address() + R"(/", "close_timeout_ms": )" +
           std::to_string(kCloseTimeout.count()) + "}}";
  }

  const Listener silent_{100};
};

// The time at which the exit handler of the tracers began, and the measurements of another thread
// since then.
std::chrono::steady_clock::time_point exit_began;
std::atomic<bool> exiting{false};
std::atomic<int> forks{0};
std::atomic<int> slow_forks{0};

TEST_F(ExitTimeTest, ManyTracersTakeTheTimeOfOne) {
  EXPECT_EQ(StatusOf(Start([this] {
              std::atexit([] {
                const auto elapsed = std::chrono::steady_clock::now() - exit_began;
                std::_Exit(elapsed >= kCloseTimeout && elapsed < 2 * kCloseTimeout ? 0 : 3);
              });
              for (int i = 0; i < 10; ++i) Report(Make(Configuration()));
              exit_began = std::chrono::steady_clock::now();
            })),
            0);
}

TEST_F(ExitTimeTest, ForksOfOtherThreadsAreNotDelayed) {
  EXPECT_EQ(StatusOf(Start([this] {
              std::atexit([] { std::_Exit(forks > 0 && slow_forks == 0 ? 0 : 3); });
              Report(Make(Configuration()));
              std::atexit([] { exiting = true; });
              std::thread([] {
                while (!exiting) std::this_thread::yield();
                for (;; ++forks) {
                  const Stopwatch fork_time;
                  const pid_t child = fork();
                  if (child == 0) std::_Exit(0);
                  if (fork_time.elapsed() > kCloseTimeout / 2) ++slow_forks;
                  waitpid(child, nullptr, 0);
                }
              }).detach();
            })),
            0);
}

}  // namespace
}  // namespace tracekin::testing
