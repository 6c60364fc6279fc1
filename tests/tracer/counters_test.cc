// SPDX-License-Identifier: Apache-2.0
// Tests the equation of counters.h, started = open + unsampled + exported + dropped.* + queued, in
// random histories that are generated from a seed. They have collectors that accept, refuse and
// fail, full queues, unsampled spans, and Close in the middle.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using Answer = Collector::Answer;

Options SmallQueue(unsigned seed) {
  Options options;
  options.exporter.queue_spans = 64;
  options.exporter.queue_bytes = 1 << 18;
  options.exporter.batch_spans = 1 + seed % 40;
  options.exporter.flush_interval_ms = seed % 2 == 0 ? 1 : 1000;
  return options;
}

class History {
 public:
  explicit History(unsigned seed) : random_(seed), tracer_(SmallQueue(seed)) {}

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      Step();
      CheckLaw();
      if (::testing::Test::HasFailure()) return;
    }
    spans_.clear();
    tracer_.collector().set_answer(Answer::kAccept);
    tracer_->Close();
    CheckEnd();
  }

 private:
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void Step() {
    switch (Below(30)) {
      case 0:
        answer_ = std::vector<Answer>{Answer::kAccept, Answer::kAccept, Answer::kReject,
                                      Answer::kFail, Answer::kThrow}[Below(5)];
        tracer_.collector().set_answer(answer_);
        break;
      case 1: {
        const bool flushed = tracer_->Flush(RecordingTracer::kPatience);
        EXPECT_TRUE(flushed || answer_ == Answer::kFail || answer_ == Answer::kThrow);
        EXPECT_EQ(flushed, tracer_->counters().queued + tracer_->counters().in_flight == 0);
        break;
      }
      case 2:
        if (Below(40) == 0) tracer_->Close();
        break;
      case 3:
        for (int i = 0; i < 100; ++i) tracer_->StartSpan("burst")->SetTag("k", "v");
        started_ += 100;
        break;
      case 4:
      case 5:
        if (spans_.empty()) break;
        spans_[Below(static_cast<unsigned>(spans_.size()))]->SetTag("sampling.priority", Below(2));
        break;
      default:
        if (spans_.size() < 20 && Below(2) == 0) {
          spans_.push_back(
              tracer_->StartSpan("a", {opentracing::SetTag{"sampling.priority", Below(4) != 0}}));
          ++started_;
        } else if (!spans_.empty()) {
          End(Below(static_cast<unsigned>(spans_.size())));
        }
    }
  }

  void End(std::size_t index) {
    if (Below(2) == 0) spans_[index]->Log({{"event", std::string(Below(9000), 'x')}});
    if (Below(2) == 0) spans_[index]->Finish();
    spans_[index]->SetTag("late", 1);
    spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void CheckLaw() {
    const Counters counters = tracer_->counters();
    EXPECT_EQ(counters.started, started_);
    EXPECT_TRUE(Conserved(counters, spans_.size())) << ::testing::PrintToString(counters);
    EXPECT_LE(counters.queued, 64u + 64u);  // waiting, and being sent
  }

  void CheckEnd() {
    CheckLaw();
    const Counters counters = tracer_->counters();
    EXPECT_EQ(counters.queued + counters.in_flight, 0u);
    EXPECT_EQ(counters.exported, tracer_.collector().spans().size());
    std::size_t sent = 0;  // some spans more than once
    for (const std::size_t batch : tracer_.collector().batches()) sent += batch;
    EXPECT_GE(sent, counters.exported + counters.dropped.rejected);
  }

  std::mt19937 random_;
  RecordingTracer tracer_;
  Answer answer_ = Answer::kAccept;
  std::uint64_t started_ = 0;
  std::vector<std::unique_ptr<opentracing::Span>> spans_;
};

class Conservation : public ::testing::TestWithParam<unsigned> {};

TEST_P(Conservation, HoldsAfterEachStepOfOneThread) { History(GetParam()).Run(2000); }

TEST_P(Conservation, HoldsWhenManyThreadsAreQuiet) {
  RecordingTracer tracer(SmallQueue(GetParam()));
  for (int round = 0; round < 5; ++round) {
    tracer.collector().set_answer(round % 2 == 0 ? Answer::kAccept : Answer::kFail);
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&tracer, seed = GetParam() + thread] {
        std::mt19937 random(seed);
        for (int i = 0; i < 500; ++i) {
          const auto span = tracer->StartSpan("a");
          if (random() % 4 == 0) span->SetTag("sampling.priority", 0);
          span->SetTag("size", std::string(random() % 3000, 'x'));
        }
      });
    }
    if (round == 3) tracer->Close();
    for (std::thread& thread : threads) thread.join();
    const Counters counters = tracer->counters();
    EXPECT_EQ(counters.started, 2000u * static_cast<unsigned>(round + 1));
    EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
  }
  EXPECT_EQ(tracer->counters().exported, tracer.collector().spans().size());
  EXPECT_EQ(tracer->counters().queued, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Conservation, ::testing::Range(0u, 10u));

TEST(Counters, TellWhereEachSpanWent) {
  RecordingTracer tracer(TriesOnce());
  const auto open = tracer->StartSpan("open");
  tracer->StartSpan("unsampled", {opentracing::SetTag{"sampling.priority", 0}});
  for (const Answer answer : {Answer::kAccept, Answer::kReject, Answer::kFail}) {
    tracer.collector().set_answer(answer);
    tracer->StartSpan("a");
    EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  }
  tracer->Close();
  tracer->StartSpan("late");
  const Counters counters = tracer->counters();
  EXPECT_EQ(counters.started, 6u);
  EXPECT_EQ(counters.open, 1u);
  EXPECT_EQ(counters.unsampled, 1u);
  EXPECT_EQ(counters.exported, 1u);  // zipkin-cpp-opentracing counts failed spans as flushed
  EXPECT_EQ(counters.dropped.rejected, 1u);
  EXPECT_EQ(counters.dropped.expired, 1u);
  EXPECT_EQ(counters.dropped.closed, 1u);
  EXPECT_EQ(counters.TotalDropped(), 3u);
}

TEST(Counters, AreExactForMoreThreadsThanTheyAreSpreadOver) {
  constexpr unsigned kThreads = 150;
  constexpr unsigned kEach = 200;
  const RecordingTracer tracer;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&tracer, thread] {
      for (unsigned i = 0; i < kEach; ++i) {
        tracer->StartSpan("a", {opentracing::SetTag{"sampling.priority", thread % 2}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  const Counters counters = tracer->counters();
  EXPECT_EQ(counters.started, kThreads * kEach);
  EXPECT_EQ(counters.unsampled, kThreads * kEach / 2);
  EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
}

TEST(Counters, OfTwoTracersAreTheirOwn) {
  const RecordingTracer one;
  const RecordingTracer two;
  one->StartSpan("a", {opentracing::ChildOf(&two->StartSpan("b")->context())});
  EXPECT_EQ(one->counters().started, 1u);
  EXPECT_EQ(two->counters().started, 1u);
}

}  // namespace
}  // namespace tracekin::testing
