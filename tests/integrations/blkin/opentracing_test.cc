// SPDX-License-Identifier: Apache-2.0
// Tests BlkKin's spans as parents and children of OpenTracing's spans.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/noop.h>

#include "integrations/blkin/ids.h"
#include "integrations/blkin/process.h"
#include "integrations/blkin/record.h"
#include "tests/integrations/blkin/blkin_tracer.h"

namespace tracekin::testing {
namespace {

using ::testing::SizeIs;

void End(const blkin_trace_info& ids) {
  blkin::RecordTimestamp({ids, "blkin", "disk", "10.0.0.1", 1}, "end");
}

Options With64Bits(Options options = {}) {
  options.trace_id_bits = 64;
  return options;
}

TEST(BlkinOpenTracing, SpansOfOneTraceInBothDirections) {
  BlkinTracer tracer(With64Bits());
  auto request = tracer->StartSpan("request");
  const blkin_trace_info disk = blkin::ChildOf(ToBlkin(request->context()));
  auto check = tracer->StartSpan("check", {opentracing::ChildOf(FromBlkin(disk).get())});
  check->Finish();
  End(disk);
  request->Finish();

  const auto spans = tracer.Reported();
  ASSERT_THAT(spans, SizeIs(3));
  EXPECT_EQ(spans[0].name, "check");
  EXPECT_EQ(spans[1].name, "blkin");
  EXPECT_EQ(spans[2].name, "request");
  EXPECT_EQ(spans[0].parent_span_id, spans[1].span_id);
  EXPECT_EQ(spans[1].parent_span_id, spans[2].span_id);
  for (const RecordedSpan& span : spans) {
    EXPECT_EQ(span.trace_id_high, 0U);
    EXPECT_EQ(span.trace_id_low, spans[0].trace_id_low);
  }
}

TEST(BlkinOpenTracing, ABlkinRootMayBeTheParent) {
  BlkinTracer tracer;
  const blkin_trace_info root = blkin::RootWithOneId();
  tracer->StartSpan("child", {opentracing::ChildOf(FromBlkin(root).get())})->Finish();
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.trace_id_high, 0U);
  EXPECT_EQ(span.trace_id_low, static_cast<std::uint64_t>(root.trace_id));
  EXPECT_EQ(span.parent_span_id, static_cast<std::uint64_t>(root.span_id));
}

TEST(BlkinOpenTracing, UnsampledStaysUnsampled) {
  BlkinTracer tracer(With64Bits(WithSampler("never")));
  const auto span = tracer->StartSpan("request");
  const blkin_trace_info info = ToBlkin(span->context());
  EXPECT_EQ(info.trace_id, 0);
  EXPECT_EQ(info.span_id, 0);
  EXPECT_EQ(FromBlkin(info), nullptr);
  EXPECT_EQ(FromBlkin(blkin::RootWithOneId()), nullptr);
}

TEST(BlkinOpenTracing, AnotherTracersSpanIsNoParent) {
  const auto noop = opentracing::MakeNoopTracer();
  const blkin_trace_info info = ToBlkin(noop->StartSpan("a")->context());
  EXPECT_EQ(info.trace_id, 0);
  EXPECT_EQ(info.span_id, 0);
}

}  // namespace
}  // namespace tracekin::testing
