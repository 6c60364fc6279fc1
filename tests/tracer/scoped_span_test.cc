// SPDX-License-Identifier: Apache-2.0
#include "tracekin/scoped_span.h"

#include <gtest/gtest.h>
#include <opentracing/mocktracer/in_memory_recorder.h>
#include <opentracing/mocktracer/tracer.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tracekin/carriers.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

class StartActiveSpanTest : public ::testing::Test {
 protected:
  StartActiveSpanTest() {
    Options options;
    options.service_name = "test";
    options.exporter.type = "none";
    std::string error;
    tracer_ = MakeTracer(options, &error);
    EXPECT_NE(tracer_, nullptr) << error;
  }

  static TraceInfo Ids(const opentracing::Span& span) { return *ToTraceInfo(span.context()); }

  static void ExpectChild(const opentracing::Span& child, const opentracing::Span& parent) {
    EXPECT_EQ(Ids(child).parent_span_id, Ids(parent).span_id);
    EXPECT_EQ(Ids(child).trace_id, Ids(parent).trace_id);
  }

  std::shared_ptr<Tracer> tracer_;
};

TEST_F(StartActiveSpanTest, NestsSpansOfOneThread) {
  {
    const auto outer = StartActiveSpan(*tracer_, "outer");
    EXPECT_EQ(ActiveSpan(), outer.get());
    EXPECT_EQ(Ids(*outer).parent_span_id, 0);
    {
      const auto inner = StartActiveSpan(*tracer_, "inner");
      EXPECT_EQ(ActiveSpan(), inner.get());
      ExpectChild(*inner, *outer);
    }
    EXPECT_EQ(ActiveSpan(), outer.get());
    EXPECT_EQ(tracer_->counters().open, 1u) << "the inner span has finished";
    ExpectChild(*StartActiveSpan(*tracer_, "second"), *outer);
  }
  EXPECT_EQ(ActiveSpan(), nullptr);
  EXPECT_EQ(tracer_->counters().open, 0u);
}

TEST_F(StartActiveSpanTest, BeginsATraceOnAThreadWithoutActiveSpan) {
  const auto here = StartActiveSpan(*tracer_, "here");
  std::thread([&] {
    const auto there = StartActiveSpan(*tracer_, "there");
    EXPECT_EQ(Ids(*there).parent_span_id, 0);
    EXPECT_NE(Ids(*there).trace_id, Ids(*here).trace_id);
  }).join();
}

TEST_F(StartActiveSpanTest, PrefersTheReferenceOfTheCaller) {
  const auto active = StartActiveSpan(*tracer_, "active");
  const auto other = tracer_->StartSpan("other");
  ExpectChild(*StartActiveSpan(*tracer_, "a", {opentracing::ChildOf(&other->context())}), *other);
  ExpectChild(*StartActiveSpan(*tracer_, "b", {opentracing::FollowsFrom(&other->context())}),
              *other);
  ExpectChild(*StartActiveSpan(*tracer_, "c", {opentracing::ChildOf(nullptr)}), *active);
}

TEST_F(StartActiveSpanTest, WorksWithOtherTracers) {
  auto recorder = std::make_unique<opentracing::mocktracer::InMemoryRecorder>();
  const auto* const spans = recorder.get();
  opentracing::mocktracer::MockTracerOptions options;
  options.recorder = std::move(recorder);
  const auto other = std::make_shared<opentracing::mocktracer::MockTracer>(std::move(options));
  const auto ours = StartActiveSpan(*tracer_, "ours");
  {
    const auto outer = StartActiveSpan(*other, "outer");
    const auto inner = StartActiveSpan(*other, "inner", {opentracing::SetTag("key", 1)});
    EXPECT_EQ(ActiveSpan(), inner.get());
  }
  ASSERT_EQ(spans->size(), 2u);
  EXPECT_EQ(spans->spans()[0].references.at(0).span_id, spans->spans()[1].span_context.span_id);
  EXPECT_EQ(spans->spans()[0].tags.count("key"), 1u);
}

// StartSpan returns null if there is no memory.
TEST(ScopedSpanTest, WithoutSpanDoesNothing) {
  const ScopedSpan none(nullptr);
  EXPECT_FALSE(none);
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_EQ(ActiveSpan(), nullptr);
}

}  // namespace
}  // namespace tracekin::testing
