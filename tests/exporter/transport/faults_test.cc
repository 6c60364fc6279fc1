// SPDX-License-Identifier: Apache-2.0
// Tests a whole tracer against collectors that fail in every way. Every span must be accounted for,
// and acknowledged spans must not be sent again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/carriers.h"
#include "tests/support/wait.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

using namespace std::chrono_literals;
using Connection = FaultServer::Connection;

constexpr int kBatches = 5;
constexpr int kBatchSpans = 40;
constexpr std::uint64_t kSpans = kBatches * kBatchSpans;

// Applies `fault` to the first requests and acknowledges the others. Remembers which it
// acknowledged.
class IllCollector {
 public:
  using Fault = std::function<void(Connection&)>;

  IllCollector(int faults, Fault fault, std::uint16_t port = 0)
      : faults_(faults),
        fault_(std::move(fault)),
        server_([this](Connection& connection) { Handle(connection); }, port) {}

  std::string url() const { return server_.url(); }
  std::uint16_t port() const { return server_.port(); }

  /// Returns how often each span was acknowledged, by its id.
  std::map<std::string, int> acknowledged() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }

  void Acknowledge() {
    const std::string request = server_.requests().back();
    static const std::regex id(R"re("id":"([0-9a-f]{16})")re");
    const std::lock_guard lock(mutex_);
    for (std::sregex_iterator found(request.begin(), request.end(), id), end; found != end;
         ++found) {
      ++acknowledged_[(*found)[1]];
    }
  }

  bool AnyRequestHolds(std::string_view text) const {
    for (const std::string& request : server_.requests()) {
      if (request.find(text) != std::string::npos) return true;
    }
    return false;
  }

  bool LastRequestHolds(std::string_view text) const {
    return server_.requests().back().find(text) != std::string::npos;
  }

  std::size_t SpansOfLastRequest() const {
    const std::string request = server_.requests().back();
    std::size_t spans = 0;
    for (std::size_t at = request.find("\"id\":"); at != std::string::npos;
         at = request.find("\"id\":", at + 1)) {
      ++spans;
    }
    return spans;
  }

 private:
  void Handle(Connection& connection) {
    if (faults_-- > 0) return fault_(connection);
    Acknowledge();
    connection.Answer("202 Accepted");
  }

  std::atomic<int> faults_;
  const Fault fault_;
  mutable std::mutex mutex_;
  std::map<std::string, int> acknowledged_;
  FaultServer server_;  // last, because its thread uses the others
};

class Faults : public ::testing::Test {
 protected:
  std::shared_ptr<Tracer> Make(const std::string& endpoint, const std::string& format = "json") {
    Options options;
    options.exporter.format = format;
    options.service_name = "faults";
    options.exporter.endpoint = endpoint;
    options.exporter.batch_spans = kBatchSpans;
    options.exporter.flush_interval_ms = 10;
    options.exporter.timeout_ms = 300;
    options.exporter.connect_timeout_ms = 300;
    options.exporter.retry_backoff_ms = 10;
    options.exporter.retry_max_backoff_ms = 100;
    options.exporter.retry_max_tries = 1000;
    options.logger = [](LogLevel, const std::string&) {};
    std::string error;
    auto tracer = MakeTracer(options, &error);
    EXPECT_NE(tracer, nullptr) << error;
    return tracer;
  }

  static void FinishSpans(const Tracer& tracer) {
    for (std::uint64_t i = 0; i < kSpans; ++i) tracer.StartSpan("a")->SetTag("number", i);
  }

  static void ExpectConserved(const Counters& counters) {
    EXPECT_EQ(counters.open, 0U);
    EXPECT_EQ(counters.started, kSpans);
    EXPECT_EQ(counters.started,
              counters.queued + counters.in_flight + counters.exported + counters.TotalDropped());
  }

  // Expects that every span arrives once.
  void ExpectRecovery(IllCollector* collector) {
    const auto tracer = Make(collector->url());
    FinishSpans(*tracer);
    ExpectArrival(*tracer, *collector);
  }

  static void ExpectArrival(Tracer& tracer, const IllCollector& collector) {
    EXPECT_TRUE(Eventually([&tracer] { return tracer.counters().exported == kSpans; }));
    tracer.Close();
    ExpectConserved(tracer.counters());
    EXPECT_EQ(tracer.counters().TotalDropped(), 0U);
    const auto acknowledged = collector.acknowledged();
    EXPECT_EQ(acknowledged.size(), kSpans);
    for (const auto& [id, times] : acknowledged) EXPECT_EQ(times, 1) << id;
  }
};

TEST_F(Faults, RefusedConnections) {
  std::uint16_t port;
  std::string url;
  {
    const IllCollector gone(0, nullptr);
    port = gone.port();
    url = gone.url();
  }
  const auto tracer = Make(url);
  FinishSpans(*tracer);
  std::this_thread::sleep_for(200ms);
  ExpectConserved(tracer->counters());
  EXPECT_EQ(tracer->counters().exported, 0U);
  IllCollector back(0, nullptr, port);
  ExpectArrival(*tracer, back);
}

TEST_F(Faults, ABlackHole) {
  IllCollector collector(2, [](Connection& connection) { connection.WaitForPeer(); });
  ExpectRecovery(&collector);
}

TEST_F(Faults, AnAnswerThatTrickles) {
  IllCollector collector(2, [](Connection& connection) {
    for (const char c : std::string("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")) {
      if (!connection.Write({&c, 1}) || connection.WaitForPeer(20)) return;
    }
  });
  ExpectRecovery(&collector);
}

TEST_F(Faults, InternalErrors) {
  IllCollector collector(3, [](Connection& connection) {
    connection.Answer("500 Internal Server Error", "storage is on fire");
  });
  ExpectRecovery(&collector);
}

TEST_F(Faults, TooManyRequests) {
  IllCollector collector(2, [](Connection& connection) {
    connection.Answer("429 Too Many Requests", "", "Retry-After: 1\r\n");
  });
  const auto start = std::chrono::steady_clock::now();
  ExpectRecovery(&collector);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 2s);
}

TEST_F(Faults, BatchesThatAreTooLarge) {
  IllCollector* self = nullptr;
  IllCollector collector(1000, [&self](Connection& connection) {
    if (self->SpansOfLastRequest() > 7) return connection.Answer("413 Payload Too Large");
    self->Acknowledge();
    connection.Answer("202 Accepted");
  });
  self = &collector;
  ExpectRecovery(&collector);
}

TEST_F(Faults, ConnectionsThatAreReset) {
  IllCollector collector(3, [](Connection& connection) { connection.Reset(); });
  ExpectRecovery(&collector);
}

TEST_F(Faults, GarbageForAnAnswer) {
  IllCollector collector(3, [](Connection& connection) {
    connection.Write("\x01\x02 what is HTTP?\r\n\r\n");
    connection.Close();
  });
  ExpectRecovery(&collector);
}

// The status is an acknowledgement, regardless of the data after it. The connection is closed.
TEST_F(Faults, AHugeAnswer) {
  IllCollector* self = nullptr;
  IllCollector collector(1000, [&self](Connection& connection) {
    self->Acknowledge();
    connection.Write("HTTP/1.1 202 Accepted\r\nContent-Length: 104857600\r\n\r\n");
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 100 && connection.Write(block); ++i) {
    }
    connection.Close();
  });
  self = &collector;
  ExpectRecovery(&collector);
}

TEST_F(Faults, ConnectionsThatAreClosedAfterEachAnswer) {
  IllCollector* self = nullptr;
  IllCollector collector(1000, [&self](Connection& connection) {
    self->Acknowledge();
    connection.Answer("202 Accepted");
    connection.Close();
  });
  self = &collector;
  ExpectRecovery(&collector);
}

TEST_F(Faults, BadRequests) {
  IllCollector collector(1000, [](Connection& connection) {
    connection.Answer("400 Bad Request", "Expected a JSON_V2 encoded list");
  });
  const auto tracer = Make(collector.url());
  FinishSpans(*tracer);
  EXPECT_TRUE(Eventually([&] { return tracer->counters().dropped.rejected == kSpans; }));
  tracer->Close();
  ExpectConserved(tracer->counters());
}

TEST_F(Faults, OneSpanThatIsRefusedNeverCostsAnother) {
  IllCollector* self = nullptr;
  IllCollector collector(1000, [&self](Connection& connection) {
    if (self->LastRequestHolds(R"("number":"77")")) {
      return connection.Answer("400 Bad Request", "traceId == 0 reading List<Span>");
    }
    self->Acknowledge();
    connection.Answer("202 Accepted");
  });
  self = &collector;
  const auto tracer = Make(collector.url());
  FinishSpans(*tracer);
  EXPECT_TRUE(Eventually([&] { return tracer->counters().exported == kSpans - 1; }));
  tracer->Close();
  ExpectConserved(tracer->counters());
  EXPECT_EQ(tracer->counters().dropped.rejected, 1U);
  const auto acknowledged = collector.acknowledged();
  EXPECT_EQ(acknowledged.size(), kSpans - 1);
  for (const auto& [id, times] : acknowledged) EXPECT_EQ(times, 1) << id;
}

// Both are valid ids for a program, but every collector refuses a batch with them.
TEST_F(Faults, IdsThatNoCollectorTakesAreNeverSent) {
  IllCollector* self = nullptr;
  IllCollector collector(1000, [&self](Connection& connection) {
    self->Acknowledge();
    connection.Answer("202 Accepted");
  });
  self = &collector;
  const auto tracer = Make(collector.url());
  SpanRecord record;
  record.trace_id_low = 5;
  record.name = "without an id";
  tracer->Report(record);
  record = {};
  record.span_id = 5;
  record.name = "without a trace";
  tracer->Report(record);
  for (std::uint64_t i = 2; i < kSpans; ++i) tracer->StartSpan("a");
  EXPECT_TRUE(Eventually([&] { return tracer->counters().exported == kSpans - 2; }));
  tracer->Close();
  ExpectConserved(tracer->counters());
  EXPECT_EQ(tracer->counters().dropped.rejected, 2U);
  EXPECT_FALSE(collector.AnyRequestHolds("without a"));
}

#ifdef TRACEKIN_HAVE_THRIFT
// The lower half of a 128-bit id may be 0. A header can carry it and JSON can represent it, but
// Thrift cannot.
TEST_F(Faults, ATraceIdThatThriftCannotHoldIsCarriedOnAndNeverSentInIt) {
  for (const std::string format : {"thrift", "json"}) {
    IllCollector* self = nullptr;
    IllCollector collector(1000, [&self](Connection& connection) {
      self->Acknowledge();
      connection.Answer("202 Accepted");
    });
    self = &collector;
    std::string url = collector.url();
    if (format == "thrift") url.replace(url.find("v2"), 2, "v1");
    const auto tracer = Make(url, format);
    const std::string id = "80f198ee56343ba80000000000000000";
    const Pairs headers{{"b3", id + "-e457b5a2e4d86bd1-1"}};
    const auto context =
        tracer->Extract(static_cast<const opentracing::HTTPHeadersReader&>(headers));
    ASSERT_TRUE(context && *context);
    auto span = tracer->StartSpan("hostile", {opentracing::ChildOf(context->get())});
    EXPECT_EQ(span->context().ToTraceID(), id);
    span.reset();
    for (std::uint64_t i = 1; i < kSpans; ++i) tracer->StartSpan("a");
    const std::uint64_t lost = format == "thrift" ? 1 : 0;
    EXPECT_TRUE(Eventually([&] { return tracer->counters().exported == kSpans - lost; })) << format;
    EXPECT_EQ(collector.AnyRequestHolds("hostile"), lost == 0) << format;
    tracer->Close();
    ExpectConserved(tracer->counters());
    EXPECT_EQ(tracer->counters().dropped.rejected, lost) << format;
  }
}
#endif

// For example, the path is wrong.
TEST_F(Faults, ACollectorThatRefusesEverythingIsNotAskedForEachSpan) {
  std::atomic<std::size_t> requests{0};
  IllCollector collector(100'000, [&requests](Connection& connection) {
    ++requests;
    connection.Answer("404 Not Found");
  });
  const auto tracer = Make(collector.url());
  for (int i = 0; i < 10; ++i) FinishSpans(*tracer);
  EXPECT_TRUE(Eventually([&] { return tracer->counters().dropped.rejected == 10 * kSpans; }));
  tracer->Close();
  EXPECT_LE(requests, 100 + 7 * 10 * kBatches) << "a batch may end before it is full";
}

TEST_F(Faults, ANameThatIsNotResolved) {
  const auto tracer = Make("http://collector.invalid/api/v2/spans");
  FinishSpans(*tracer);
  std::this_thread::sleep_for(100ms);
  ExpectConserved(tracer->counters());
  EXPECT_EQ(tracer->counters().queued + tracer->counters().in_flight, kSpans);
  tracer->Close();
  ExpectConserved(tracer->counters());
  EXPECT_EQ(tracer->counters().dropped.closed, kSpans);
}

}  // namespace
}  // namespace tracekin::testing
