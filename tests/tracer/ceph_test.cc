// SPDX-License-Identifier: Apache-2.0
// Tests the carriers of tracekin/ceph.h with real span contexts. The format has separate tests.

#include "tracekin/ceph.h"

#include <gtest/gtest.h>
#include <opentracing/noop.h>

#include <system_error>

#include "tests/propagation/ceph_fronts.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

TEST(CephCarrier, AChildGoesOnWithTheTrace) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("sender");
  for (CephFront message : RealCephFronts()) {
    ASSERT_TRUE(tracer->Inject(span->context(), CephWriter(message.header, &message.front)));
    const HeapBytes front(message.front);
    const auto extracted = tracer->Extract(CephReader(message.header, front.data(), front.size()));
    ASSERT_TRUE(extracted);
    ASSERT_NE(*extracted, nullptr);
    const auto child = tracer->StartSpan("receiver", {opentracing::ChildOf(extracted->get())});
    const SpanContext* const received = SpanContext::Cast(&child->context());
    const SpanContext* const sent = SpanContext::Cast(&span->context());
    EXPECT_EQ(received->trace_id_low(), sent->trace_id_low());
    EXPECT_EQ(received->parent_span_id(), sent->span_id());
    EXPECT_TRUE(received->sampled());
  }
}

TEST(CephCarrier, MessageWithoutAContextHasNone) {
  for (const CephFront& message : RealCephFronts()) {
    const auto extracted = ExtractCeph(message.header, message.front.data(), message.front.size());
    ASSERT_TRUE(extracted);
    EXPECT_EQ(*extracted, nullptr);
  }
}

TEST(CephCarrier, FrontIsLeftAloneAfterAnError) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("sender");
  const auto noop = opentracing::MakeNoopTracer();
  const auto foreign = noop->StartSpan("foreign");
  const CephFront message = RealCephFronts().front();
  std::string front = message.front;
  const auto refused = InjectCeph(foreign->context(), message.header, &front);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), opentracing::invalid_span_context_error);

  const auto unknown =
      tracer->Inject(span->context(), CephWriter({message.header.type, 10}, &front));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), std::errc::not_supported);
  EXPECT_EQ(front, message.front);

  front.resize(80);
  const auto inconsistent = tracer->Inject(span->context(), CephWriter(message.header, &front));
  ASSERT_FALSE(inconsistent);
  EXPECT_EQ(inconsistent.error(), opentracing::span_context_corrupted_error);
  EXPECT_EQ(front, message.front.substr(0, 80));
}

}  // namespace
}  // namespace tracekin::testing
