// SPDX-License-Identifier: Apache-2.0
// Tests the end of a span: Finish runs once, later calls are allowed, and the destructor finishes
// as well.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::FinishTimestamp;
using opentracing::StartTimestamp;
using opentracing::SteadyTime;
using opentracing::SystemTime;
using std::chrono::seconds;

TEST(Finish, ASecondTimeDoesNothing) {
  RecordingTracer tracer;
  // jaeger-client-cpp treats a duration of zero as "not finished yet".
  const SteadyTime steady{seconds(7)};
  const auto span = tracer->StartSpan("a", {StartTimestamp(SystemTime{seconds(7)}, steady)});
  span->Finish({FinishTimestamp(steady)});
  span->Finish({FinishTimestamp(steady + seconds(9))});
  opentracing::FinishSpanOptions options;
  options.log_records = {{SystemTime{seconds(8)}, {{"event", "late"}}}};
  span->FinishWithOptions(options);
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.duration_ns, 0);
  EXPECT_TRUE(recorded.logs.empty());
  EXPECT_EQ(tracer->counters().exported, 1u);
}

TEST(Finish, MakesLaterCallsHarmless) {
  for (const char* sampler : {"always", "never"}) {
    RecordingTracer tracer(WithSampler(sampler));
    const auto span = tracer->StartSpan("a");
    span->Finish();
    span->SetOperationName("late");
    span->SetTag("late", 1);
    span->SetTag("span.kind", "server");
    span->Log({{"event", "late"}});
    span->Log(SystemTime{seconds(1)}, {{"event", "late"}});
    span->SetBaggageItem("late", "value");
    EXPECT_NE(span->context().ToSpanID(), "");
    EXPECT_EQ(&span->tracer(), tracer.shared().get());
    const auto child = tracer->StartSpan("b", {opentracing::ChildOf(&span->context())});
    EXPECT_EQ(child->context().ToTraceID(), span->context().ToTraceID());
    for (const RecordedSpan& recorded : tracer.Spans()) {
      EXPECT_EQ(recorded.name, "a");
      EXPECT_EQ(recorded.kind, SpanKind::kLocal);
      EXPECT_TRUE(recorded.tags.empty());
      EXPECT_TRUE(recorded.logs.empty());
    }
    EXPECT_TRUE(Conserved(tracer->counters(), 1));
  }
}

TEST(SpanDestructor, FinishesTheSpan) {
  RecordingTracer tracer;
  {
    const auto span = tracer->StartSpan("a");
    span->SetTag("key", 1);
    EXPECT_EQ(tracer->counters().open, 1u);
  }
  EXPECT_EQ(tracer->counters().open, 0u);
  EXPECT_EQ(tracer.OnlySpan().Tag("key"), "1");
}

TEST(SpanDestructor, DoesNotFinishASecondTime) {
  RecordingTracer tracer;
  tracer->StartSpan("a")->Finish();
  EXPECT_EQ(tracer.Spans().size(), 1u);
  EXPECT_EQ(tracer->counters().exported, 1u);
}

TEST(Finish, OnAnotherThreadThanTheStart) {
  RecordingTracer tracer;
  auto span = tracer->StartSpan("a");
  std::thread([moved = std::move(span)]() mutable {
    moved->SetTag("key", 1);
    moved.reset();
  }).join();
  EXPECT_EQ(tracer.OnlySpan().Tag("key"), "1");
}

thread_local std::unique_ptr<opentracing::Span> span_of_thread;

TEST(Finish, AtTheEndOfAThreadOfItsThreadLocals) {
  RecordingTracer tracer;
  for (int i = 0; i < 3; ++i) {
    std::thread([&tracer, i] {
      // Made before or after tracekin's state for the thread.
      if (i == 1) tracer->StartSpan("another");
      span_of_thread = tracer->StartSpan("of thread");
    }).join();
  }
  EXPECT_EQ(tracer.Spans().size(), 4u);
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

struct FinishesASpanOnDestruction {
  const RecordingTracer* tracer = nullptr;
  ~FinishesASpanOnDestruction() {
    if (tracer != nullptr) (*tracer)->StartSpan("at thread exit")->SetTag("key", 1);
  }
};
thread_local FinishesASpanOnDestruction at_thread_exit;

TEST(StartSpan, WorksInDestructorsOfThreadLocals) {
  RecordingTracer tracer;
  std::thread([&tracer] { at_thread_exit.tracer = &tracer; }).join();
  EXPECT_EQ(tracer.OnlySpan().Tag("key"), "1");
}

TEST(Finish, ManySpansInOneBatchKeepTheirOrder) {
  RecordingTracer tracer;
  constexpr int kSpans = 500;
  for (int i = 0; i < kSpans; ++i) tracer->StartSpan(std::to_string(i))->Finish();
  const auto spans = tracer.Spans();
  ASSERT_EQ(spans.size(), static_cast<std::size_t>(kSpans));
  EXPECT_EQ(spans.front().name, "0");
  EXPECT_EQ(spans.back().name, std::to_string(kSpans - 1));
}

}  // namespace
}  // namespace tracekin::testing
