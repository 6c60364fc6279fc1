// SPDX-License-Identifier: Apache-2.0
// A name server that does not answer. libcurl's calls of getaddrinfo() reach this program's version
// first.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "exporter/encoding/zipkin_answer.h"
#include "exporter/transport/http_transport.h"
#ifdef TRACEKIN_HAVE_KAFKA
#include "exporter/transport/kafka_transport.h"
#endif
#ifdef TRACEKIN_HAVE_THRIFT
#include "exporter/transport/scribe_transport.h"
#endif

namespace {

class HangingResolver {
 public:
  void Hang() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++calls_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return released_; });
    --calls_;
    changed_.notify_all();
  }
  bool AwaitCall() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(5), [this] { return calls_ > 0; });
  }
  void Release() {
    std::unique_lock<std::mutex> lock(mutex_);
    released_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return calls_ == 0; });
    released_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int calls_ = 0;
  bool released_ = false;
};

HangingResolver hanging_resolver;

}  // namespace

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node,
                                                                  const char* service,
                                                                  const struct addrinfo* hints,
                                                                  struct addrinfo** result) {
  if (node != nullptr && std::string(node) == "collector.invalid") {
    hanging_resolver.Hang();
    return EAI_AGAIN;
  }
  using Function = int (*)(const char*, const char*, const struct addrinfo*, struct addrinfo**);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(node, service, hints, result);
}

namespace tracekin::exporter {
namespace {

using std::chrono::milliseconds;

// `transport` must send to collector.invalid.
void ExpectDeadlineHolds(std::unique_ptr<Transport> transport) {
  constexpr milliseconds kTime{300}, kSlack{200};
  auto start = Transport::Clock::now();
  const SendResult result = transport->Send("[]", start + kTime);
  EXPECT_LE(Transport::Clock::now() - start, kTime + kSlack);
  EXPECT_EQ(result.status, SendStatus::kFailed);
  EXPECT_TRUE(hanging_resolver.AwaitCall());

  start = Transport::Clock::now();
  transport.reset();
  EXPECT_LE(Transport::Clock::now() - start, kSlack);
  hanging_resolver.Release();
}

TEST(HangingResolverTest, DoesNotHoldHttpBeyondTheDeadline) {
  ExporterOptions options;
  options.endpoint = "http://collector.invalid/";
  ExpectDeadlineHolds(std::make_unique<HttpTransport>(
      options, "application/json", JudgeZipkinAnswer, Proxy{}, Resolver::For(options)));
}

#ifdef TRACEKIN_HAVE_THRIFT
TEST(HangingResolverTest, DoesNotHoldScribeBeyondTheDeadline) {
  ExporterOptions options;
  options.endpoint = "scribe://collector.invalid";
  ExpectDeadlineHolds(std::make_unique<ScribeTransport>(options, Resolver::For(options)));
}
#endif

// GCC's thread sanitizer does not support threads of thrd_create(), which librdkafka uses.
#if defined(TRACEKIN_HAVE_KAFKA) && !defined(__SANITIZE_THREAD__)
TEST(HangingResolverTest, DoesNotHoldAKafkaTransportBeyondTheDeadline) {
  constexpr milliseconds kTime{300}, kEnd{1000}, kSlack{200};
  ExporterOptions options;
  options.kafka_brokers = "collector.invalid";
  std::optional<KafkaTransport> transport;
  transport.emplace(options);
  for (int i = 0; i < 3; ++i) {
    const auto start = Transport::Clock::now();
    const SendResult result = transport->Send("[]", start + kTime);
    EXPECT_LE(Transport::Clock::now() - start, kTime + kSlack);
    EXPECT_EQ(result.status, SendStatus::kFailed);
  }
  EXPECT_TRUE(hanging_resolver.AwaitCall());

  const auto start = Transport::Clock::now();
  transport.reset();
  EXPECT_LE(Transport::Clock::now() - start, kEnd + kSlack);
  hanging_resolver.Release();
}
#endif

}  // namespace
}  // namespace tracekin::exporter
