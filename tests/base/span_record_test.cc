// SPDX-License-Identifier: Apache-2.0
#include "tracekin/span_record.h"

#include <gtest/gtest.h>

namespace tracekin {
namespace {

TEST(SpanKindTest, NamesAreThoseOfOpenTracing) {
  EXPECT_EQ(SpanKindName(SpanKind::kClient), "client");
  EXPECT_EQ(SpanKindName(SpanKind::kServer), "server");
  EXPECT_EQ(SpanKindName(SpanKind::kProducer), "producer");
  EXPECT_EQ(SpanKindName(SpanKind::kConsumer), "consumer");
  EXPECT_EQ(SpanKindName(SpanKind::kLocal), "");
}

TEST(SpanKindTest, EveryNameIsReadBack) {
  for (const SpanKind kind : {SpanKind::kLocal, SpanKind::kClient, SpanKind::kServer,
                              SpanKind::kProducer, SpanKind::kConsumer}) {
    EXPECT_EQ(SpanKindFromName(SpanKindName(kind)), kind);
  }
}

TEST(SpanKindTest, OtherNamesAreLocal) {
  for (const char* name : {"SERVER", "serve", "servers", "local", "1"}) {
    EXPECT_EQ(SpanKindFromName(name), SpanKind::kLocal) << name;
  }
}

TEST(EndpointTest, IsEmptyWithoutAnyPart) {
  EXPECT_TRUE(Endpoint{}.empty());
  EXPECT_FALSE((Endpoint{"service", "", "", 0}.empty()));
  EXPECT_FALSE((Endpoint{"", "127.0.0.1", "", 0}.empty()));
  EXPECT_FALSE((Endpoint{"", "", "::1", 0}.empty()));
  EXPECT_FALSE((Endpoint{"", "", "", 80}.empty()));
}

TEST(SpanRecordTest, ClearForgetsEverythingButMemory) {
  SpanRecord span;
  span.trace_id_high = span.trace_id_low = span.span_id = span.parent_span_id = 1;
  span.start_ns = span.duration_ns = 2;
  span.kind = SpanKind::kServer;
  span.debug = true;
  span.name = "name";
  span.local.service_name = "local";
  span.remote.port = 80;
  span.tags.resize(100);
  span.annotations.resize(100);

  span.Clear();

  EXPECT_EQ(span.trace_id_high | span.trace_id_low | span.span_id | span.parent_span_id, 0u);
  EXPECT_EQ(span.start_ns | span.duration_ns, 0);
  EXPECT_EQ(span.kind, SpanKind::kLocal);
  EXPECT_FALSE(span.debug);
  EXPECT_EQ(span.name, "");
  EXPECT_TRUE(span.local.empty());
  EXPECT_TRUE(span.remote.empty());
  EXPECT_TRUE(span.tags.empty());
  EXPECT_TRUE(span.annotations.empty());
  EXPECT_GE(span.tags.capacity(), 100u);
  EXPECT_GE(span.annotations.capacity(), 100u);
}

}  // namespace
}  // namespace tracekin
