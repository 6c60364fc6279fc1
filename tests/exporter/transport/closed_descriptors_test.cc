// SPDX-License-Identifier: Apache-2.0
// Tests hosts that close all unknown descriptors, like daemons do, and then open their own, which
// get the same numbers. We must neither write to them nor close them.
//
// The host is a child of the test, and the collector is in the test's own process.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exporter/encoding/zipkin_answer.h"
#include "exporter/transport/http_transport.h"
#include "tests/exporter/transport/fault_server.h"
#include "tests/support/fork.h"
#include "tests/support/listener.h"
#include "tests/support/wait.h"
#ifdef TRACEKIN_HAVE_KAFKA
#include "exporter/transport/kafka_transport.h"
#endif
#ifdef TRACEKIN_HAVE_THRIFT
#include "exporter/transport/scribe_transport.h"
#endif

namespace {

// Called once, when a thread is about to send.
void (*before_send)() = nullptr;

}  // namespace

extern "C" __attribute__((visibility("default"))) ssize_t send(int socket, const void* data,
                                                               std::size_t size, int flags) {
  using Function = ssize_t (*)(int, const void*, std::size_t, int);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "send"));
  if (auto* const call = std::exchange(before_send, nullptr)) call();
  return real(socket, data, size, flags);
}

namespace tracekin::testing {
namespace {

using namespace exporter;

using Connection = FaultServer::Connection;

/// Closes all descriptors except the standard ones, and opens its own sockets under their numbers.
class Host {
 public:
  Host() {
    close_range(3, ~0U, 0);
    for (auto& pair : pairs_) {
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
    }
  }

  /// Returns how many bytes others wrote to the sockets.
  std::size_t BytesOfOthers() const {
    std::size_t bytes = 0;
    char some[4096];
    for (const auto& pair : pairs_) {
      for (const int socket : pair) {
        const ssize_t size = recv(socket, some, sizeof some, 0);
        if (size > 0) bytes += static_cast<std::size_t>(size);
      }
    }
    return bytes;
  }

  void ExpectUntouched() const {
    EXPECT_EQ(BytesOfOthers(), 0u) << "somebody wrote to the host's sockets";
    for (const auto& pair : pairs_) {
      EXPECT_EQ(send(pair[0], "a", 1, MSG_NOSIGNAL), 1) << "somebody closed one of the host's";
      char byte = 0;
      EXPECT_EQ(recv(pair[1], &byte, 1, 0), 1) << "somebody closed one, or read from it";
      EXPECT_EQ(send(pair[1], "b", 1, MSG_NOSIGNAL), 1);
      EXPECT_EQ(recv(pair[0], &byte, 1, 0), 1);
    }
  }

 private:
  std::array<std::array<int, 2>, 16> pairs_{};
};

/// A kind of transport, and the answer that makes it count a batch as accepted.
struct Way {
  std::string name;
  std::function<std::unique_ptr<Transport>(const FaultServer&)> make;
  std::string answer;
};

std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

std::vector<Way> Ways() {
  std::vector<Way> ways;
  ways.push_back({"Http",
                  [](const FaultServer& server) {
                    ExporterOptions options;
                    options.endpoint = server.url("user:secret");
                    return std::make_unique<HttpTransport>(options, "application/json",
                                                           JudgeZipkinAnswer);
                  },
                  "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"});
#ifdef TRACEKIN_HAVE_THRIFT
  ways.push_back({"Scribe",
                  [](const FaultServer& server) {
                    ExporterOptions options;
                    options.endpoint = "scribe://127.0.0.1:" + std::to_string(server.port());
                    return std::make_unique<ScribeTransport>(options);
                  },
                  // A reply to Log whose field 0, an i32, is OK.
                  std::string("\0\0\0\x14\0\0\0\x03Log\x02\0\0\0\0\x08\0\0\0\0\0\0\0", 24)});
#endif
  return ways;
}

std::array<int, 2> MakePipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  return ends;
}

class ClosedDescriptors : public ::testing::TestWithParam<Way> {
 protected:
  ClosedDescriptors()
      : server_([this](Connection& connection) {
          if (hang_.exchange(false)) {
            EXPECT_EQ(write(hanging_[1], "", 1), 1);
            connection.WaitForPeer();
            return connection.Close();
          }
          connection.Write(GetParam().answer);
        }) {
    sigset_t signals;  // required by Transport::Send
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }

  void AwaitHang() const {
    char byte;
    EXPECT_EQ(read(hanging_[0], &byte, 1), 1);
  }

  ~ClosedDescriptors() override {
    for (const int end : hanging_) close(end);
  }

  std::unique_ptr<Transport> Make() const { return GetParam().make(server_); }

  static SendResult Send(Transport* transport) {
    return transport->Send("[]", Transport::Clock::now() + std::chrono::seconds(20));
  }
  static void ExpectSent(Transport* transport) {
    const SendResult result = Send(transport);
    EXPECT_EQ(result.status, SendStatus::kAccepted) << result.message;
  }

  std::atomic<bool> hang_{false};  // true: hang at the next request
  const std::array<int, 2> hanging_ = MakePipe();
  FaultServer server_;
};

INSTANTIATE_TEST_SUITE_P(All, ClosedDescriptors, ::testing::ValuesIn(Ways()),
                         [](const auto& test) { return test.param.name; });

TEST_P(ClosedDescriptors, NeverSendToTheHostsOwnSockets) {
  InFork([this] {
    const auto transport = Make();
    ExpectSent(transport.get());
    const Host host;
    ExpectSent(transport.get());
    ExpectSent(transport.get());
    host.ExpectUntouched();
  });
  EXPECT_EQ(server_.requests().size(), 3u);
  EXPECT_EQ(server_.connections(), 2) << "one before, and one that was kept after";
}

TEST_P(ClosedDescriptors, AreNotClosedASecondTime) {
  InFork([this] {
    auto transport = Make();
    ExpectSent(transport.get());
    const Host host;
    transport.reset();
    host.ExpectUntouched();
  });
}

TEST_P(ClosedDescriptors, OfATransportThatNeverSentAreNotClosedASecondTime) {
  InFork([this] {
    auto transport = Make();
    const Host host;
    transport.reset();
    host.ExpectUntouched();
  });
}

TEST_P(ClosedDescriptors, TakeNoWakeUp) {
  InFork([this] {
    const auto transport = Make();
    ExpectSent(transport.get());
    const Host host;
    transport->Interrupt(Transport::Clock::now());
    host.ExpectUntouched();
  });
}

TEST_P(ClosedDescriptors, AreNotClosedByTheChildOfAFork) {
  InFork([this] {
    const auto transport = Make();
    ExpectSent(transport.get());
    const Host host;
    transport->AbandonAfterFork();
    host.ExpectUntouched();
  });
}

TEST_P(ClosedDescriptors, EndTheRequestThatIsUnderWay) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  hang_ = true;
  InFork([this] {
    const auto transport = Make();
    SendResult result{SendStatus::kAccepted};
    std::thread sender([&] { result = Send(transport.get()); });
    AwaitHang();
    const Host host;
    sender.join();
    EXPECT_EQ(result.status, SendStatus::kFailed);
    EXPECT_THAT(result.message, ::testing::HasSubstr("the host process has closed"));
    ExpectSent(transport.get());
    host.ExpectUntouched();
  });
}

// Closes only descriptors with lower or higher numbers than libcurl's own descriptors. The handles
// must be given up in this case as well.
TEST_P(ClosedDescriptors, InPartAreMadeAnewAsWell) {
  for (const bool low : {false, true}) {
    InFork([&] {
      close_range(3, ~0U, 0);
      const auto transport = Make();
      ExpectSent(transport.get());
      low ? close_range(3, 4, 0) : close_range(5, ~0U, 0);
      const Host host;
      ExpectSent(transport.get());
      host.ExpectUntouched();
    });
  }
}

// Documents a limit: a descriptor is checked before it is used, and the host may replace it in
// between. A host should close descriptors before it makes the tracer (docs/reliability.md).
TEST_P(ClosedDescriptors, ThatTheHostReplacesBetweenCheckAndUseGetTheRequestWhichIsALimit) {
  InFork([this] {
    Transport* const transport = Make().release();  // its destructor might close host descriptors
    ExpectSent(transport);
    static const Host* host = nullptr;
    before_send = [] { host = new Host; };
    transport->Send("[]", Transport::Clock::now() + std::chrono::milliseconds(100));
    ASSERT_NE(host, nullptr);
    EXPECT_NE(host->BytesOfOthers(), 0u);
  });
}

#if defined(TRACEKIN_HAVE_KAFKA) && !defined(__SANITIZE_THREAD__)
// Documents a limit: librdkafka's threads wake each other through descriptors that they do not
// check. A host should close descriptors before it makes the tracer (docs/reliability.md).
TEST(ClosedDescriptorsLimit, LibrdkafkaWritesToWhatTheHostHasOpenedInTheirPlace) {
  InFork([] {
    ExporterOptions options;
    options.kafka_brokers = "127.0.0.1:1";
    auto* transport = new KafkaTransport(options);  // its destructor might close host descriptors
    const auto send = [transport] {
      transport->Send("[]", Transport::Clock::now() + std::chrono::milliseconds(100));
    };
    send();
    const Host host;
    std::size_t bytes = 0;
    EXPECT_TRUE(Eventually([&] {
      send();
      return (bytes += host.BytesOfOthers()) != 0;
    }));
  });
}
#endif

}  // namespace
}  // namespace tracekin::testing
