// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_thrift_encoder.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/exporter/encoding/thrift_spans.h"
#include "tests/exporter/encoding/varied_spans.h"

namespace tracekin::exporter {
namespace {

constexpr std::int64_t kStart = 1510256710021866999;

std::string Encoded(const std::vector<SpanRecord>& spans) {
  ZipkinThriftEncoder encoder;
  return Encode(encoder, spans);
}

std::string Struct(const SpanRecord& span) {
  ZipkinThriftSpan writer;
  return std::string(writer.Write(span));
}

// Adds a duration as the last field. Our spans always have one, but some of the examples do not.
std::string WithDuration(std::string golden) {
  return golden.insert(golden.size() - 1, FromHex("0a000b0000000000000001"));
}

SpanRecord MinimalSpan() {
  SpanRecord span;
  span.trace_id_low = span.span_id = 1;
  span.start_ns = kStart;
  return span;
}

// The bytes are those of Zipkin's own tests.
TEST(ZipkinThriftEncoderTest, WritesTheBytesThatZipkinWrites) {
  SpanRecord span;
  span.trace_id_low = span.span_id = 0xdc955a1d4768875d;
  span.name = "encode";
  span.start_ns = 1510256710021866000;
  span.duration_ns = 1117000;
  span.local = {"isao01", "10.23.14.72", "", 0};
  const std::string golden = FromHex(
      "0a0001dc955a1d4768875d0b000300000006656e636f64650a0004dc955a1d4768875d0f00060c000000000f0008"
      "0c000000010b0001000000026c630b000200000000080003000000060c00040800010a170e4806000200000b0003"
      "0000000669"
      "73616f303100000a000a00055d920ab872ea0a000b000000000000045d00");
  EXPECT_EQ(golden.size(), 127u);
  EXPECT_EQ(Struct(span), golden);
  EXPECT_EQ(Encoded({span, span}), FromHex("0c00000002") + golden + golden);
}

TEST(ZipkinThriftEncoderTest, LeavesOutWhatIsNotKnown) {
  SpanRecord span;
  span.trace_id_high = 0x7180c278b62e8f6a;
  span.trace_id_low = 0x216a2aea45d08fc9;
  span.span_id = 0x5b4185666d50f68b;
  const std::string golden = FromHex(
      "0a0001216a2aea45d08fc90b0003000000000a00045b4185666d50f68b0f00060c000000000f00080c00000000"
      "0a000c7180c278b62e8f6a00");
  EXPECT_EQ(golden.size(), 57u);
  // The duration precedes the trace id's high half.
  EXPECT_EQ(Struct(span),
            golden.substr(0, 45) + FromHex("0a000b0000000000000001") + golden.substr(45));
}

TEST(ZipkinThriftEncoderTest, WritesTheBytesThatBlkKinWrote) {
  SpanRecord span;
  span.trace_id_low = 0x0123456789abcdef;
  span.span_id = 0x1112131415161718;
  span.parent_span_id = 0x2122232425262728;
  span.name = "process a";
  span.local = {"service a", "10.0.0.1", "", 5000};
  span.annotations = {{1410000000123456000, "start"}};
  EXPECT_EQ(Struct(span),
            WithDuration(FromBase64(
                "CgABASNFZ4mrze8LAAMAAAAJcHJvY2VzcyBhCgAEERITFBUWFxgKAAUhIiMkJSYnKA8ABgwAAAABCgABAA"
                "UCYzUkAkALAAIAAAAFc3RhcnQMAAMIAAEKAAABBgACE4gLAAMAAAAJc2VydmljZSBhAAAPAAgMAAAAAA"
                "A=")));
}

TEST(ZipkinThriftEncoderTest, LibthriftReadsTheSameSpans) {
  const VariedSpans varied(1000, 0xdc955a1d4768875d, kStart);
  const std::vector<thrift::Span> read = ReadSpans(Encoded(varied.spans()));
  ASSERT_EQ(read.size(), 1000u);
  for (std::size_t i = 0; i < read.size(); ++i) {
    ExpectSpan(read[i], varied.spans()[i]);
    if (HasFailure()) FAIL() << "span " << i;
  }
}

TEST(ZipkinThriftEncoderTest, AnEmptyListIsOne) {
  EXPECT_EQ(Encoded({}), FromHex("0c00000000"));
  EXPECT_EQ(ZipkinThriftEncoder().content_type(), "application/x-thrift");
}

// Zipkin interprets these only if they have a host.
TEST(ZipkinThriftEncoderTest, TextOfTheApplicationIsNotTakenForAKind) {
  SpanRecord span = MinimalSpan();
  span.local.service_name = "frontend";
  for (const char* text : {"cs", "cr", "sr", "ss", "ms", "mr", "ws", "wr"}) {
    span.annotations = {{kStart, text}};
    const thrift::Span read = ReadSpan(Struct(span));
    ASSERT_EQ(read.annotations.size(), 1u);
    EXPECT_FALSE(read.annotations[0].__isset.host) << text;
    ASSERT_EQ(read.binary_annotations.size(), 1u);
    EXPECT_EQ(read.binary_annotations[0].key, "lc");
  }
  span.annotations = {{kStart, "xs"}};
  EXPECT_TRUE(ReadSpan(Struct(span)).annotations[0].__isset.host);
}

TEST(ZipkinThriftEncoderTest, TagsAreNotTakenForEndpoints) {
  SpanRecord span = MinimalSpan();
  span.kind = SpanKind::kClient;
  span.local.service_name = "frontend";
  span.remote.service_name = "backend";
  span.tags = {{"sa", "1"}, {"ca", "2"}, {"ma", "3"}};
  const thrift::Span read = ReadSpan(Struct(span));
  ASSERT_EQ(read.binary_annotations.size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(read.binary_annotations[i].__isset.host);
  EXPECT_EQ(read.binary_annotations[3].key, "sa");
  EXPECT_EQ(read.binary_annotations[3].annotation_type, thrift::AnnotationType::BOOL);
}

TEST(ZipkinThriftEncoderTest, AKindNeedsAHostThoughNothingIsKnownOfIt) {
  SpanRecord span = MinimalSpan();
  span.kind = SpanKind::kServer;
  const thrift::Span read = ReadSpan(Struct(span));
  ASSERT_EQ(read.annotations.size(), 2u);
  EXPECT_TRUE(read.annotations[0].__isset.host);
  EXPECT_TRUE(read.binary_annotations.empty());
}

// Annotations express the kind, so a span without a time cannot have one.
TEST(ZipkinThriftEncoderTest, AStartBeforeTheEpochIsUnknown) {
  SpanRecord span = MinimalSpan();
  span.kind = SpanKind::kClient;
  span.local.service_name = "frontend";
  for (const std::int64_t ns : {-1'000'000, 0, 999}) {
    span.start_ns = ns;
    const thrift::Span read = ReadSpan(Struct(span));
    EXPECT_FALSE(read.__isset.timestamp);
    EXPECT_TRUE(read.annotations.empty());
    ASSERT_EQ(read.binary_annotations.size(), 1u);
    EXPECT_EQ(read.binary_annotations[0].key, "lc");
  }
}

TEST(ZipkinThriftEncoderTest, ExtremeNumbersAreWrittenWhole) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  SpanRecord span;
  span.trace_id_low = span.trace_id_high = span.span_id = span.parent_span_id = ~0ull;
  span.start_ns = span.duration_ns = kMost;
  span.kind = SpanKind::kClient;
  span.remote.port = 65535;
  const thrift::Span read = ReadSpan(Struct(span));
  EXPECT_EQ(read.trace_id, -1);
  EXPECT_EQ(read.trace_id_high, -1);
  EXPECT_EQ(read.parent_id, -1);
  EXPECT_EQ(read.timestamp, kMost / 1000);
  EXPECT_EQ(read.annotations.at(1).timestamp, kMost / 1000 * 2);
  EXPECT_EQ(static_cast<std::uint16_t>(read.binary_annotations.at(0).host.port), 65535);
}

TEST(ZipkinThriftEncoderTest, ALargeSpanLeavesNothingInTheNext) {
  ZipkinThriftSpan writer;
  SpanRecord large = MinimalSpan();
  const std::string text(1 << 20, 'x');
  large.name = text;
  EXPECT_EQ(ReadSpan(std::string(writer.Write(large))).name, text);
  EXPECT_EQ(writer.Write(MinimalSpan()), Struct(MinimalSpan()));
}

}  // namespace
}  // namespace tracekin::exporter
