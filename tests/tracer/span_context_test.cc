// SPDX-License-Identifier: Apache-2.0
// Tests SpanContext: ids as text, copies, and telling our contexts from foreign ones.

#include "tracer/span_context.h"

#include <gtest/gtest.h>
#include <opentracing/mocktracer/tracer.h>
#include <opentracing/noop.h>

#include <memory>
#include <string>

#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

TEST(SpanContextIds, AreHexOfFixedWidth) {
  propagation::Context context;
  context.trace_id_low = 0xabc;
  context.span_id = 0x1;
  EXPECT_EQ(SpanContext(propagation::Context(context)).ToTraceID(), "0000000000000abc");
  EXPECT_EQ(SpanContext(propagation::Context(context)).ToSpanID(), "0000000000000001");
  context.trace_id_high = 0xfedcba9876543210;
  context.span_id = ~std::uint64_t{0};
  EXPECT_EQ(SpanContext(propagation::Context(context)).ToTraceID(),
            "fedcba98765432100000000000000abc");
  EXPECT_EQ(SpanContext(propagation::Context(context)).ToSpanID(), "ffffffffffffffff");
  context.trace_id_low = 0;
  EXPECT_EQ(SpanContext(propagation::Context(context)).ToTraceID(),
            "fedcba98765432100000000000000000");
}

TEST(SpanContextIds, AreEmptyWhereThereAreNone) {
  EXPECT_EQ(SpanContext(propagation::Context{}).ToTraceID(), "");
  EXPECT_EQ(SpanContext(propagation::Context{}).ToSpanID(), "");
}

TEST(SpanContextIds, StayAfterFinish) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  const opentracing::SpanContext& context = span->context();
  const std::string trace_id = context.ToTraceID();
  const std::string span_id = context.ToSpanID();
  span->Finish();
  EXPECT_EQ(&span->context(), &context);
  EXPECT_EQ(context.ToTraceID(), trace_id);
  EXPECT_EQ(context.ToSpanID(), span_id);
}

// zipkin-cpp-opentracing returns a null pointer.
TEST(SpanContextClone, IsACopyThatOutlivesItsSpanAndTracer) {
  RecordingTracer tracer;
  auto span = tracer->StartSpan("a");
  span->SetBaggageItem("key", "value");
  const std::string trace_id = span->context().ToTraceID();
  const std::string span_id = span->context().ToSpanID();
  const auto clone = span->context().Clone();
  ASSERT_NE(clone, nullptr);
  span->SetBaggageItem("key", "changed");
  span.reset();
  tracer.Release();
  EXPECT_TRUE(tracer.Destroyed());
  EXPECT_EQ(clone->ToTraceID(), trace_id);
  EXPECT_EQ(clone->ToSpanID(), span_id);
  std::string items;
  clone->Clone()->ForeachBaggageItem([&](const std::string& key, const std::string& value) {
    items += key + '=' + value;
    return true;
  });
  EXPECT_EQ(items, "key=value");
}

TEST(SpanContextClone, IsInjectedAsTheOriginal) {
  Options options;
  options.propagation.inject = {"b3multi", "tracecontext", "baggage"};
  RecordingTracer tracer(options);
  const Pairs carrier = {{"traceparent", "00-11111111111111112222222222222222-3333333333333333-03"},
                         {"tracestate", "vendor=value"},
                         {"baggage", "key=value"}};
  const auto extracted = tracer->Extract(static_cast<const opentracing::TextMapReader&>(carrier));
  ASSERT_TRUE(extracted);
  Pairs original;
  Pairs clone;
  ASSERT_TRUE(tracer->Inject(**extracted, original));
  ASSERT_TRUE(tracer->Inject(*(*extracted)->Clone(), clone));
  EXPECT_EQ(original.pairs, clone.pairs);
  EXPECT_EQ(clone.Map().at("tracestate"), "vendor=value");
}

TEST(SpanContextClone, OfADebugDecisionKeepsIt) {
  propagation::Context context;
  context.decision = propagation::Decision::kDebug;
  const auto clone = SpanContext(propagation::Context(context)).Clone();
  EXPECT_EQ(SpanContext::Cast(clone.get())->decision(), propagation::Decision::kDebug);
}

TEST(SpanContextCast, KnowsOurOwnOnly) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  EXPECT_EQ(SpanContext::Cast(&span->context()), &span->context());
  EXPECT_EQ(SpanContext::Cast(nullptr), nullptr);
  const auto noop = opentracing::MakeNoopTracer()->StartSpan("b");
  EXPECT_EQ(SpanContext::Cast(&noop->context()), nullptr);
  const auto mock = std::make_shared<opentracing::mocktracer::MockTracer>(
      opentracing::mocktracer::MockTracerOptions{});
  const auto mocked = mock->StartSpan("c");
  EXPECT_EQ(SpanContext::Cast(&mocked->context()), nullptr);
}

}  // namespace
}  // namespace tracekin::testing
