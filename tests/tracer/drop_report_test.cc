// SPDX-License-Identifier: Apache-2.0
// Tests how dropped spans are reported in the log: with their number and the reason, in few lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Answer = Collector::Answer;

TEST(DropReport, SaysNothingWhenNothingIsDropped) {
  RecordingTracer tracer;
  tracer->StartSpan("a");
  tracer->Close();
  EXPECT_THAT(tracer.log().lines(), IsEmpty());
}

TEST(DropReport, NamesReasonNumberAndTheCollectorsWords) {
  RecordingTracer tracer;
  tracer.collector().set_answer(Answer::kReject);
  tracer->StartSpan("a");  // several would be divided and reported on two lines
  tracer->Close();
  EXPECT_THAT(tracer.log().lines(), ElementsAre(AllOf(HasSubstr("1 span"), HasSubstr("rejected 1"),
                                                      HasSubstr("refused"))));
  EXPECT_EQ(tracer->counters().dropped.rejected, 1u);
}

// opentelemetry-cpp logs a line for each span. Here there is one line for the outage, one for the
// first lost span, and one at the end.
TEST(DropReport, IsThreeLinesForAThousandFailedRequests) {
  RecordingTracer tracer(TriesOnce());
  tracer.collector().set_answer(Answer::kFail);
  for (int i = 0; i < 1000; ++i) {
    tracer->StartSpan("a");
    tracer->Flush(RecordingTracer::kPatience);
  }
  tracer->Close();
  EXPECT_EQ(tracer->counters().dropped.expired, 1000u);
  EXPECT_THAT(tracer.log().lines(), SizeIs(::testing::Le(3u)));
}

/// Returns options of a queue with four chunks, each with as many spans as a request.
Options TinyQueue() {
  Options options;
  options.exporter.queue_spans = 64;
  options.exporter.queue_bytes = 1 << 18;
  options.exporter.batch_spans = 16;
  return options;
}

TEST(DropReport, ComesThoughTheQueueNeverRunsEmpty) {
  RecordingTracer tracer(TinyQueue());
  constexpr int kMost = 1000;
  std::atomic<int> requests{0};
  tracer.collector().set_on_send([&] {
    // The queue fills up again while a request is being sent.
    if (!tracer.log().lines().empty() || ++requests == kMost) return;
    for (int i = 0; i < 100 && requests < kMost; ++i) tracer->StartSpan("more");
  });
  for (int i = 0; i < 48; ++i) tracer->StartSpan("first");
  EXPECT_TRUE(Eventually([&] { return !tracer.log().lines().empty(); }));
  EXPECT_LT(requests, kMost);
  EXPECT_THAT(tracer.log().lines(), ElementsAre(HasSubstr("queue_full")));
}

TEST(Flush, ReturnsThoughTheQueueNeverRunsEmpty) {
  RecordingTracer tracer(TinyQueue());
  constexpr int kMost = 1000;
  std::atomic<int> requests{0};
  std::atomic<bool> flushed{false};
  tracer.collector().set_on_send([&] {
    if (flushed || ++requests >= kMost) return;
    for (int i = 0; i < 100; ++i) tracer->StartSpan("more");
  });
  for (int i = 0; i < 48; ++i) tracer->StartSpan("first");
  tracer->Flush(RecordingTracer::kPatience);  // usually false: more spans are queued
  flushed = true;
  EXPECT_LT(requests, kMost);
}

TEST(Exporter, NeverDropsABatchThatThereIsNoMemoryToSendYet) {
  RecordingTracer tracer(TriesOnce());
  tracer.collector().set_answer(Answer::kThrow);
  for (int i = 0; i < 3; ++i) tracer->StartSpan("a");
  EXPECT_FALSE(tracer->Flush(RecordingTracer::kPatience));
  EXPECT_EQ(tracer->counters().TotalDropped(), 0u);
  tracer.collector().set_answer(Answer::kAccept);
  EXPECT_EQ(tracer.Spans().size(), 3u);
}

TEST(Exporter, GoesOnWhenTheCollectorIsBack) {
  RecordingTracer tracer(TriesOnce());
  for (const Answer answer : {Answer::kFail, Answer::kReject, Answer::kAccept}) {
    tracer.collector().set_answer(answer);
    tracer->StartSpan("a");
    EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  }
  const Counters counters = tracer->counters();
  EXPECT_EQ(counters.exported, 1u);
  EXPECT_EQ(counters.dropped.rejected, 1u);
  EXPECT_EQ(counters.dropped.expired, 1u);
}

}  // namespace
}  // namespace tracekin::testing
