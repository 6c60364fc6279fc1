// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/exporter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/make_span.h"

namespace tracekin::exporter {
namespace {

using namespace std::chrono_literals;

// Writes each span's id, followed by a comma.
class IdEncoder final : public Encoder {
 public:
  std::string_view content_type() const override { return "text/ids"; }
  void Begin(const Resource&, std::string* body) override { *body += '<'; }
  void Add(const SpanRecord& span, std::string* body) override {
    if (span.name == "too much") throw std::bad_alloc();
    *body += std::to_string(span.span_id) + ',';
  }
  void End(std::size_t spans, std::string* body) override { *body += '>' + std::to_string(spans); }
};

// The bodies that a transport received, and the answer that it returns. It outlives the exporter's
// threads.
struct Collector {
  std::mutex mutex;
  std::condition_variable interrupted;
  std::vector<std::string> bodies;
  SendResult answer{SendStatus::kAccepted, {}};
  bool hang = false;  // hang until the deadline
  Transport::Clock::time_point deadline = Transport::Clock::time_point::max();

  std::vector<std::string> Bodies() {
    const std::lock_guard<std::mutex> lock(mutex);
    return bodies;
  }
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(Collector* collector) : collector_(collector) {}

  SendResult Send(const std::string& body, Clock::time_point deadline) override {
    std::unique_lock<std::mutex> lock(collector_->mutex);
    collector_->bodies.push_back(body);
    if (!collector_->hang) return collector_->answer;
    while (Clock::now() < std::min(deadline, collector_->deadline)) {
      collector_->interrupted.wait_until(lock, std::min(deadline, collector_->deadline));
    }
    return {SendStatus::kFailed, "time is up"};
  }
  void Interrupt(Clock::time_point deadline) noexcept override {
    const std::lock_guard<std::mutex> lock(collector_->mutex);
    collector_->deadline = std::min(collector_->deadline, deadline);
    collector_->interrupted.notify_all();
  }
  void AbandonAfterFork() noexcept override {}

 private:
  Collector* const collector_;
};

using MakeThrow = void (*)();

class ExporterTest : public ::testing::Test {
 protected:
  ExporterTest() {
    options_.queue_spans = 1000;
    options_.queue_bytes = 4 * SpanQueue::kChunkBytes;
    // The exporter sends only on request, except in the test of this interval.
    options_.flush_interval_ms = 3'600'000;
  }

  void Make() {
    exporter_ = std::make_shared<Exporter>(
        options_, Resource{"service", {}}, [] { return std::make_unique<IdEncoder>(); },
        [this] { return std::make_unique<FakeTransport>(&collector_); },
        [this](LogLevel, const std::string& message) {
          const std::lock_guard<std::mutex> lock(log_mutex_);
          log_.push_back(message);
        });
  }

  void Push(std::uint64_t id, std::string_view name = {}) {
    const std::string span = testing::MakeSpan(id, name);
    exporter_->EnsureRunning();
    exporter_->queue().Push(span.data(), static_cast<std::uint32_t>(span.size()), 0);
  }

  std::vector<std::string> Log() {
    const std::lock_guard<std::mutex> lock(log_mutex_);
    return log_;
  }

  void ExpectBalance() {
    const Counters totals = exporter_->totals();
    EXPECT_EQ(exporter_->queue().accepted(), TakenFromQueue(totals));
    EXPECT_EQ(totals.in_flight, 0U);
  }

  ExporterOptions options_;
  Collector collector_;
  std::mutex log_mutex_;
  std::vector<std::string> log_;
  std::shared_ptr<Exporter> exporter_;
};

TEST_F(ExporterTest, SendsWhatWasPushedAsOneBatch) {
  Make();
  for (std::uint64_t id = 1; id <= 3; ++id) Push(id);
  EXPECT_TRUE(exporter_->Flush(10s));
  EXPECT_EQ(collector_.Bodies(), std::vector<std::string>{"<1,2,3,>3"});
  EXPECT_EQ(exporter_->totals().exported, 3U);
  exporter_->Close(10s);
  ExpectBalance();
}

TEST_F(ExporterTest, SendsByItselfAfterTheFlushInterval) {
  options_.flush_interval_ms = 10;
  Make();
  Push(1);
  while (exporter_->totals().exported == 0) std::this_thread::sleep_for(1ms);
  exporter_->Close(10s);
  EXPECT_EQ(collector_.Bodies(), std::vector<std::string>{"<1,>1"});
}

TEST_F(ExporterTest, SendsNothingWhenThereIsNothing) {
  Make();
  EXPECT_TRUE(exporter_->Flush(10s));  // no thread yet
  exporter_->EnsureRunning();
  EXPECT_TRUE(exporter_->Flush(10s));
  exporter_->Close(10s);
  EXPECT_TRUE(collector_.Bodies().empty());
  EXPECT_TRUE(Log().empty());
}

TEST_F(ExporterTest, DividesIntoBatches) {
  options_.batch_spans = 2;
  Make();
  for (std::uint64_t id = 1; id <= 5; ++id) Push(id);
  exporter_->Close(10s);
  EXPECT_EQ(collector_.Bodies(), (std::vector<std::string>{"<1,2,>2", "<3,4,>2", "<5,>1"}));
}

TEST_F(ExporterTest, CountsAndReportsWhatTheCollectorRejects) {
  collector_.answer = {SendStatus::kRejected, "400 it says no"};
  Make();
  Push(1);
  exporter_->Close(10s);
  EXPECT_EQ(exporter_->totals().dropped.rejected, 1U);
  ExpectBalance();
  EXPECT_EQ(Log(),
            std::vector<std::string>{"dropped 1 span: rejected 1 (last error: 400 it says no)"});
}

// A collector may accept a batch but reject some of its spans, and may report an absurd number.
TEST_F(ExporterTest, WhatIsRefusedOfAnAcceptedBatchIsCountedAndNeverSentAgain) {
  collector_.answer = {SendStatus::kAccepted, "2 too old", 0ms, 2};
  Make();
  for (std::uint64_t id = 1; id <= 5; ++id) Push(id);
  EXPECT_TRUE(exporter_->Flush(60s));
  EXPECT_EQ(exporter_->totals().exported, 3U);
  EXPECT_EQ(exporter_->totals().dropped.rejected, 2U);
  collector_.answer.rejected = SIZE_MAX;
  Push(6);
  exporter_->Close(60s);
  EXPECT_EQ(exporter_->totals().exported, 3U);
  EXPECT_EQ(exporter_->totals().dropped.rejected, 3U);
  EXPECT_EQ(collector_.Bodies().size(), 2U);
  EXPECT_EQ(Log().front(), "dropped 2 spans: rejected 2 (last error: 2 too old)");
  ExpectBalance();
}

// Collectors refuse a whole batch for one such span.
TEST_F(ExporterTest, ASpanWhoseIdIs0IsNeverSentAndNeverSilentlyDropped) {
  Make();
  Push(1);
  Push(0);
  Push(2);
  exporter_->Close(10s);
  EXPECT_EQ(collector_.Bodies(), std::vector<std::string>{"<1,2,>2"});
  EXPECT_EQ(exporter_->totals().exported, 2U);
  EXPECT_EQ(exporter_->totals().dropped.rejected, 1U);
  ExpectBalance();
  EXPECT_EQ(Log(), std::vector<std::string>{
                       "dropped 1 span: rejected 1 (last error: not sent: the span id is 0, or the "
                       "trace id is 0 in the exporter's format)"});
}

TEST_F(ExporterTest, ReportsDropsOnceInAWhileNotOncePerSpan) {
  collector_.answer = {SendStatus::kFailed, "refused"};
  options_.batch_spans = 1;
  options_.retry_max_tries = 1;
  Make();
  for (int i = 0; i < 50; ++i) {
    Push(1);
    exporter_->Flush(10s);
  }
  exporter_->Close(10s);
  EXPECT_EQ(exporter_->totals().dropped.expired, 50U);
  // The first one is reported immediately, and the other 49 together at the end.
  EXPECT_EQ(Log(),
            (std::vector<std::string>{"spans cannot be sent and are kept in memory: refused",
                                      "dropped 1 span: expired 1 (last error: refused)",
                                      "dropped 49 spans: expired 49 (last error: refused)"}));
}

TEST_F(ExporterTest, ReportsAFullQueue) {
  options_.queue_spans = 64;
  Make();
  std::uint64_t pushed = 0;
  // The exporter may remove full chunks at the same time, so more than 64 spans may fit.
  while (exporter_->queue().refused() < 7) Push(++pushed);
  exporter_->Close(10s);
  EXPECT_EQ(exporter_->totals().exported, pushed - 7);
  int reported = 0;  // sum over one line or two, depending on when the exporter looked
  for (const std::string& line : Log()) {
    int dropped = 0;
    EXPECT_EQ(std::sscanf(line.c_str(), "dropped %*d span%*[s:] queue_full %d", &dropped), 1)
        << line;
    reported += dropped;
  }
  EXPECT_EQ(reported, 7);
}

TEST_F(ExporterTest, ASpanThatMemoryDoesNotSufficeForDoesNotSpoilItsBatch) {
  Make();
  Push(1, "too much");
  Push(2);
  Push(3, "too much");
  exporter_->Close(10s);
  EXPECT_EQ(collector_.Bodies(), std::vector<std::string>{"<2,>1"});
  EXPECT_EQ(exporter_->totals().exported, 1U);
  EXPECT_EQ(exporter_->totals().dropped.too_large, 2U);
  ExpectBalance();
}

TEST_F(ExporterTest, CloseEndsASendThatHangsAndGivesUpTheRest) {
  collector_.hang = true;
  options_.batch_spans = 1;
  Make();
  for (std::uint64_t id = 1; id <= 4; ++id) Push(id);
  const auto start = Exporter::Clock::now();
  exporter_->Close(100ms);
  EXPECT_LT(Exporter::Clock::now() - start, 2s);
  const Counters totals = exporter_->totals();
  EXPECT_EQ(totals.dropped.closed, 4U);
  ExpectBalance();
}

TEST_F(ExporterTest, FlushGivesUpAfterItsTime) {
  collector_.hang = true;
  Make();
  Push(1);
  const auto start = Exporter::Clock::now();
  EXPECT_FALSE(exporter_->Flush(50ms));
  EXPECT_LT(Exporter::Clock::now() - start, 2s);
  exporter_->Close(0ms);
}

TEST_F(ExporterTest, WhatIsPushedAfterCloseIsCountedAsClosed) {
  Make();
  Push(1);
  exporter_->Close(10s);
  Push(2);
  EXPECT_EQ(exporter_->totals().exported, 1U);
  EXPECT_EQ(exporter_->totals().dropped.closed, 1U);
  ExpectBalance();
}

TEST_F(ExporterTest, CloseBeforeTheFirstSpanStartsNoThread) {
  Make();
  exporter_->Close(10s);
  exporter_->EnsureRunning();
  Push(1);
  EXPECT_EQ(exporter_->totals().dropped.closed, 1U);
  EXPECT_TRUE(collector_.Bodies().empty());
}

TEST_F(ExporterTest, CloseTwiceAndFromTwoThreads) {
  Make();
  Push(1);
  std::thread other([this] { exporter_->Close(10s); });
  exporter_->Close(10s);
  other.join();
  exporter_->Close(10s);
  EXPECT_EQ(exporter_->totals().exported, 1U);
}

TEST_F(ExporterTest, ALoggerThatThrowsIsHarmless) {
  collector_.answer = {SendStatus::kFailed, "refused"};
  exporter_ = std::make_shared<Exporter>(
      options_, Resource{"service", {}}, [] { return std::make_unique<IdEncoder>(); },
      [this] { return std::make_unique<FakeTransport>(&collector_); },
      [](LogLevel, const std::string&) { throw 1; });
  Push(1);
  exporter_->Close(10s);
  EXPECT_EQ(exporter_->totals().dropped.closed, 1U);
}

// A host's own transport may throw anything. The exception's message may be too long for the
// available memory.
TEST_F(ExporterTest, ATransportThatThrowsNeverEndsTheProcess) {
  const auto make = [this](MakeThrow make_throw) {
    exporter_ = std::make_shared<Exporter>(
        options_, Resource{"service", {}}, [] { return std::make_unique<IdEncoder>(); },
        [make_throw]() -> std::unique_ptr<Transport> {
          make_throw();
          return nullptr;
        },
        [](LogLevel, const std::string&) {});
    Push(1);
    exporter_->Flush(10s);
    exporter_->Close(10s);
    EXPECT_EQ(exporter_->totals().dropped.closed, 1U);
  };
  make([] { throw std::runtime_error("an error"); });
  make([] { throw std::bad_alloc(); });
  make([] { throw 42; });
}

TEST_F(ExporterTest, AnEncoderThatCannotBeMadeIsReported) {
  exporter_ = std::make_shared<Exporter>(
      options_, Resource{"service", {}},
      []() -> std::unique_ptr<Encoder> { throw std::runtime_error("no encoder"); },
      [this] { return std::make_unique<FakeTransport>(&collector_); },
      [this](LogLevel, const std::string& message) {
        const std::lock_guard<std::mutex> lock(log_mutex_);
        log_.push_back(message);
      });
  Push(1);
  exporter_->Close(10s);
  EXPECT_EQ(exporter_->totals().dropped.closed, 1U);
  ASSERT_EQ(Log().size(), 2U);
  EXPECT_EQ(Log()[1], "dropped 1 span: closed 1 (last error: no encoder)");
}

}  // namespace
}  // namespace tracekin::exporter
