// SPDX-License-Identifier: Apache-2.0
// Tests one tracer and one span that many threads use at the same time. With ThreadSanitizer these
// tests find races, and without it lost data.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_state.h"
#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

constexpr int kThreads = 8;

/// Runs `body(thread)` on kThreads threads that start together.
template <class Body>
void OnThreads(Body body) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&ready, &body, thread] {
      for (++ready; ready < kThreads;) std::this_thread::yield();
      body(thread);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(OneSpanOnManyThreads, KeepsEveryTagAndLog) {
  constexpr int kEach = 50;
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  OnThreads([&](int thread) {
    for (int i = 0; i < kEach; ++i) {
      const std::string number = std::to_string(thread * kEach + i);
      span->SetTag("key-" + number, thread);
      span->SetTag("shared", i);
      span->SetOperationName(number);
      span->Log({{"event", number}});
    }
  });
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.tags.size(), kThreads * kEach + 1u);
  EXPECT_EQ(recorded.logs.size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_NE(recorded.Tag("shared"), "(twice)");
  for (int i = 0; i < kThreads * kEach; ++i) {
    EXPECT_EQ(recorded.Tag("key-" + std::to_string(i)), std::to_string(i / kEach));
  }
}

TEST(OneSpanOnManyThreads, FinishesOnce) {
  for (int i = 0; i < 100; ++i) {
    RecordingTracer tracer;
    const auto span = tracer->StartSpan("a");
    OnThreads([&](int thread) {
      span->SetTag(std::to_string(thread), thread);
      span->Finish();
      span->SetTag("late", thread);
      span->Log({{"event", "late"}});
    });
    EXPECT_EQ(tracer.Spans().size(), 1u);
    EXPECT_TRUE(Conserved(tracer->counters(), 0));
  }
}

TEST(OneSpanOnManyThreads, KeepsEveryBaggageItem) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  constexpr int kEach = static_cast<int>(propagation::kMaxBaggageItems) / kThreads;
  OnThreads([&](int thread) {
    for (int i = 0; i < kEach; ++i) {
      const std::string key = std::to_string(thread * kEach + i);
      span->SetBaggageItem(key, "value of " + key);
      EXPECT_EQ(span->BaggageItem(key), "value of " + key);
    }
  });
  for (int i = 0; i < kThreads * kEach; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_EQ(span->BaggageItem(key), "value of " + key);
  }
}

TEST(OneSpanOnManyThreads, BearsEveryMethodAtOnce) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  const std::string trace_id = span->context().ToTraceID();
  OnThreads([&](int thread) {
    for (int i = 0; i < 200; ++i) {
      switch ((thread + i) % 10) {
        case 0:
          span->SetTag("sampling.priority", i % 2);
          break;
        case 1:
          span->SetTag("span.kind", i % 2 == 0 ? "client" : "server");
          break;
        case 2:
          span->SetBaggageItem("key", std::to_string(i));
          break;
        case 3: {
          Pairs carrier;
          EXPECT_TRUE(tracer->Inject(span->context(),
                                     static_cast<const opentracing::TextMapWriter&>(carrier)));
          EXPECT_EQ(carrier.Map()["b3"].substr(0, 32), trace_id);
          break;
        }
        case 4: {
          const auto child = tracer->StartSpan("b", {opentracing::ChildOf(&span->context())});
          EXPECT_EQ(child->context().ToTraceID(), trace_id);
          break;
        }
        case 5:
          EXPECT_EQ(span->context().Clone()->ToTraceID(), trace_id);
          break;
        case 6:
          span->context().ForeachBaggageItem(
              [](const std::string& key, const std::string&) { return key == "key"; });
          break;
        case 7:
          span->Log({{"event", i}});
          break;
        case 8:
          span->SetOperationName(std::to_string(i));
          break;
        default:
          if (i > 190) span->Finish();
      }
    }
  });
  span->Finish();
  EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

TEST(OneTracerOnManyThreads, ExportsEverySpanOnceAndWhole) {
  constexpr std::size_t kEach = 2000;
  RecordingTracer tracer;
  OnThreads([&](int thread) {
    for (std::size_t i = 0; i < kEach; ++i) {
      const auto span = tracer->StartSpan(std::to_string(thread * kEach + i));
      // Different sizes make the chunks fill up unevenly.
      span->SetTag("tag", std::string(i % 700, static_cast<char>('a' + thread)));
    }
  });
  std::vector<int> seen(kThreads * kEach);
  for (const RecordedSpan& span : tracer.Spans()) {
    const std::size_t number = std::stoul(span.name);
    ++seen[number];
    ASSERT_EQ(*span.Tag("tag"),
              std::string(number % kEach % 700, static_cast<char>('a' + number / kEach)));
  }
  EXPECT_EQ(seen, std::vector<int>(kThreads * kEach, 1));
}

TEST(OneTracerOnManyThreads, CountsEverySpanThoughThereWereFourBillionThreadsBefore) {
  constexpr int kEach = 20'000;
  RecordingTracer tracer(WithSampler("never"));
  const std::uint64_t seen =
      internal::threads_seen.exchange((std::uint64_t{1} << 32) - kThreads / 2);
  std::vector<std::uint32_t> numbers(kThreads);
  OnThreads([&](int thread) {
    numbers[static_cast<std::size_t>(thread)] = ThisThread().shard;
    for (int i = 0; i < kEach; ++i) tracer->StartSpan("a");
  });
  internal::threads_seen = seen;
  for (const std::uint32_t number : numbers) EXPECT_GE(number, std::uint32_t{1} << 31);
  EXPECT_EQ(tracer->counters().started, std::uint64_t{kThreads} * kEach);
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

TEST(OneTracerOnManyThreads, CanBeReadWhileItWorks) {
  RecordingTracer tracer;
  std::atomic<int> running{kThreads - 1};
  OnThreads([&](int thread) {
    if (thread != 0) {
      for (int i = 0; i < 2000; ++i) tracer->StartSpan("a");
      --running;
      return;
    }
    while (running != 0) {
      const Counters counters = tracer->counters();
      for (const std::uint64_t count :
           {counters.started, counters.open, counters.queued, counters.exported}) {
        ASSERT_LE(count, (kThreads - 1) * 2000u);  // a negative difference would be far larger
      }
    }
  });
  EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  EXPECT_EQ(tracer->counters().exported, (kThreads - 1) * 2000u);
}

}  // namespace
}  // namespace tracekin::testing
