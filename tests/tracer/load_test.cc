// SPDX-License-Identifier: Apache-2.0
// Tests loads that exceed what a host has on its worst day.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/attack.h"
#include "tests/support/recording_tracer.h"
#include "tracekin/scope.h"
#include "tracekin/tracer.h"
#include "tracekin/transport.h"

namespace tracekin::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSpans = 1'000'000;
constexpr std::uint64_t kThreadsInTurn = 2'000;
constexpr bool kMeasuresMemory = false;  // sanitizers need several times as much memory
#else
constexpr std::uint64_t kSpans = 10'000'000;
constexpr std::uint64_t kThreadsInTurn = 20'000;
constexpr bool kMeasuresMemory = true;
#endif

/// Accepts everything and counts the lines.
class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(std::atomic<std::uint64_t>* lines) : lines_(lines) {}

  SendResult Send(const std::string& body, Clock::time_point) override {
    *lines_ += static_cast<std::uint64_t>(std::count(body.begin(), body.end(), '\n'));
    return {SendStatus::kAccepted};
  }
  void Interrupt(Clock::time_point) noexcept override {}
  void AbandonAfterFork() noexcept override {}

 private:
  std::atomic<std::uint64_t>* const lines_;
};

std::shared_ptr<Tracer> MakeCounted(std::atomic<std::uint64_t>* lines) {
  Options options;
  options.service_name = "test";
  options.exporter.make_transport = [lines] { return std::make_unique<CountingTransport>(lines); };
  options.logger = [](LogLevel, const std::string&) {};
  std::string error;
  auto tracer = MakeTracer(options, &error);
  EXPECT_NE(tracer, nullptr) << error;
  return tracer;
}

std::uint64_t ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:" && status >> word) return std::stoull(word);
  }
  return 0;
}

TEST(Load, TenMillionSpansAreExportedOrCounted) {
  constexpr std::uint64_t kThreads = 4;
  std::atomic<std::uint64_t> lines{0};
  const auto tracer = MakeCounted(&lines);
  const std::uint64_t before = ResidentKilobytes();
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&tracer] {
      for (std::uint64_t i = 0; i < kSpans / kThreads; ++i) {
        tracer->StartSpan("operation")->SetTag("number", i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t after = ResidentKilobytes();
  ASSERT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  const Counters counters = tracer->counters();
  EXPECT_TRUE(Conserved(counters, 0));
  EXPECT_EQ(counters.started, kSpans);
  EXPECT_EQ(counters.exported, lines);
  EXPECT_EQ(counters.exported + counters.dropped.queue_full, kSpans);
  EXPECT_GE(counters.exported, kSpans / 100);  // the queue holds fewer spans
  // This is enough for the queue's 16 MB, two batches and their JSON, and the threads.
  if (kMeasuresMemory) {
    EXPECT_LE(after - before, 32'000U);
  }
}

// Many more threads than shards of counters or slots of the queue, all inside a span at the same
// time.
TEST(Load, SpansOfAThousandThreadsAreExportedOrCounted) {
  constexpr std::uint64_t kThreads = 1000;
  constexpr std::uint64_t kEach = 50;
  std::atomic<std::uint64_t> lines{0};
  const auto tracer = MakeCounted(&lines);
  std::mutex mutex;
  std::condition_variable all_here;
  std::uint64_t here = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      const auto outer = tracer->StartSpan("outer");
      const Scope scope(*outer);
      {
        std::unique_lock<std::mutex> lock(mutex);
        if (++here == kThreads) all_here.notify_all();
        all_here.wait(lock, [&] { return here == kThreads; });
      }
      for (std::uint64_t i = 1; i < kEach; ++i) {
        tracer->StartSpan("inner", {opentracing::ChildOf(&outer->context())});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  const Counters counters = tracer->counters();
  EXPECT_TRUE(Conserved(counters, 0));
  EXPECT_EQ(counters.started, kThreads * kEach);
  EXPECT_EQ(counters.exported, lines);
  // A thread that is preempted during its push occupies a chunk, and there are only 256.
  EXPECT_EQ(counters.exported + counters.dropped.queue_full, kThreads * kEach);
  EXPECT_GE(counters.exported, kThreads * kEach / 2);
}

// Some hosts use a new thread for each request.
TEST(Load, ThreadsOneAfterTheOtherLeaveNothingBehind) {
  const std::uint64_t count = Attacks(kThreadsInTurn);
  std::atomic<std::uint64_t> lines{0};
  const auto tracer = MakeCounted(&lines);
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == count / 10) before = ResidentKilobytes();
    std::thread([&tracer] {
      const auto span = tracer->StartSpan("request");
      const Scope scope(*span);
    }).join();
  }
  const std::uint64_t after = ResidentKilobytes();
  ASSERT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  const Counters counters = tracer->counters();
  EXPECT_TRUE(Conserved(counters, 0));
  EXPECT_EQ(counters.started, count);
  EXPECT_EQ(counters.exported, count);
  EXPECT_EQ(lines, count);
  EXPECT_EQ(counters.misplaced_scopes, 0u);
  if (kMeasuresMemory) {
    EXPECT_LE(after, before + 16'000U);
  }
  ReportAttacks(count, "threads");
}

}  // namespace
}  // namespace tracekin::testing
