// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_proto3_encoder.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "tests/exporter/encoding/varied_spans.h"
#include "zipkin.pb.h"

namespace tracekin::exporter {
namespace {

constexpr std::int64_t kStart = 1510256710021866999;

std::string Encoded(const std::vector<SpanRecord>& spans) {
  ZipkinProto3Encoder encoder;
  return Encode(encoder, spans);
}

zipkin::proto3::ListOfSpans Decoded(const std::string& body) {
  zipkin::proto3::ListOfSpans list;
  EXPECT_TRUE(list.ParseFromString(body));
  return list;
}

// Decodes a body with one span.
zipkin::proto3::Span Decoded(const SpanRecord& span) {
  const zipkin::proto3::ListOfSpans list = Decoded(Encoded({span}));
  EXPECT_EQ(list.spans_size(), 1);
  return list.spans(0);
}

std::string BigEndian(std::uint64_t id) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(id >> shift);
  return bytes;
}

std::string Address(int family, std::string_view text) {
  char bytes[16];
  if (inet_pton(family, std::string(text).c_str(), bytes) != 1) return {};
  return {bytes, family == AF_INET ? 4u : 16u};
}

void ExpectEndpoint(const zipkin::proto3::Endpoint& decoded, const Endpoint& endpoint) {
  EXPECT_EQ(decoded.service_name(), endpoint.service_name);
  constexpr std::string_view kMapped = "::ffff:";
  if (endpoint.ipv6.substr(0, kMapped.size()) == kMapped) {
    EXPECT_EQ(decoded.ipv4(), Address(AF_INET, endpoint.ipv6.substr(kMapped.size())));
    EXPECT_EQ(decoded.ipv6(), "");
  } else {
    EXPECT_EQ(decoded.ipv4(), Address(AF_INET, endpoint.ipv4));
    EXPECT_EQ(decoded.ipv6(), Address(AF_INET6, endpoint.ipv6));
  }
  EXPECT_EQ(decoded.port(), endpoint.port);
}

void ExpectSpan(const zipkin::proto3::Span& decoded, const SpanRecord& span) {
  const std::string high = span.trace_id_high == 0 ? "" : BigEndian(span.trace_id_high);
  EXPECT_EQ(decoded.trace_id(), high + BigEndian(span.trace_id_low));
  EXPECT_EQ(decoded.parent_id(), span.parent_span_id == 0 ? "" : BigEndian(span.parent_span_id));
  EXPECT_EQ(decoded.id(), BigEndian(span.span_id));
  std::string kind(SpanKindName(span.kind));
  std::transform(kind.begin(), kind.end(), kind.begin(), ::toupper);
  EXPECT_EQ(zipkin::proto3::Span::Kind_Name(decoded.kind()),
            kind.empty() ? "SPAN_KIND_UNSPECIFIED" : kind);
  EXPECT_EQ(decoded.name(), span.name);
  EXPECT_EQ(decoded.timestamp(), static_cast<std::uint64_t>(span.start_ns / 1000));
  const std::int64_t duration =
      span.duration_ns < 0 ? 0 : std::max<std::int64_t>(span.duration_ns / 1000, 1);
  EXPECT_EQ(decoded.duration(), static_cast<std::uint64_t>(duration));
  EXPECT_EQ(decoded.has_local_endpoint(), !span.local.empty());
  EXPECT_EQ(decoded.has_remote_endpoint(), !span.remote.empty());
  ExpectEndpoint(decoded.local_endpoint(), span.local);
  ExpectEndpoint(decoded.remote_endpoint(), span.remote);
  ASSERT_EQ(static_cast<std::size_t>(decoded.annotations_size()), span.annotations.size());
  for (int i = 0; i < decoded.annotations_size(); ++i) {
    EXPECT_EQ(decoded.annotations(i).timestamp(),
              static_cast<std::uint64_t>(span.annotations[i].timestamp_ns / 1000));
    EXPECT_EQ(decoded.annotations(i).value(), span.annotations[i].text);
  }
  EXPECT_EQ(decoded.tags().size(), span.tags.size());
  for (const SpanRecord::Tag& tag : span.tags) {
    ASSERT_EQ(decoded.tags().count(std::string(tag.key)), 1u) << tag.key;
    EXPECT_EQ(decoded.tags().at(std::string(tag.key)), tag.value);
  }
  EXPECT_EQ(decoded.debug(), span.debug);
  EXPECT_EQ(decoded.shared(), span.shared);
  EXPECT_TRUE(decoded.GetReflection()->GetUnknownFields(decoded).empty());
}

// The bytes are those of Zipkin's own tests.
TEST(ZipkinProto3EncoderTest, WritesTheBytesThatZipkinWrites) {
  SpanRecord span;
  span.trace_id_low = span.span_id = 0xdc955a1d4768875d;
  span.name = "encode";
  span.start_ns = 1510256710021866000;
  span.duration_ns = 1117000;
  span.local = {"isao01", "10.23.14.72", "", 0};
  EXPECT_EQ(Encoded({span}),
            FromHex("0a380a08dc955a1d4768875d1a08dc955a1d4768875d2a06656e636f646531ea72b80a925d0500"
                    "38dd08420e0a066973616f303112040a170e48"));
}

// Zipkin's example does not have a duration, while our spans always do: "3801", and a length that
// is two bytes larger.
TEST(ZipkinProto3EncoderTest, LeavesOutWhatIsNotKnown) {
  SpanRecord span;
  span.trace_id_high = 0x7180c278b62e8f6a;
  span.trace_id_low = 0x216a2aea45d08fc9;
  span.span_id = 0x5b4185666d50f68b;
  EXPECT_EQ(Encoded({span}),
            FromHex("0a1e0a107180c278b62e8f6a216a2aea45d08fc91a085b4185666d50f68b3801"));
}

TEST(ZipkinProto3EncoderTest, LibprotobufReadsTheSameSpans) {
  const VariedSpans varied(1000, 0xdc955a1d4768875d, kStart);
  const zipkin::proto3::ListOfSpans list = Decoded(Encoded(varied.spans()));
  ASSERT_EQ(list.spans_size(), 1000);
  for (int i = 0; i < 1000; ++i) {
    ExpectSpan(list.spans(i), varied.spans()[i]);
    if (HasFailure()) FAIL() << "span " << i;
  }
}

// proto3 allows omitting a field with its default value, but Zipkin requires these.
TEST(ZipkinProto3EncoderTest, EmptyTextsOfTagsAndAnnotationsAreWritten) {
  SpanRecord span;
  span.trace_id_low = span.span_id = 1;
  span.tags = {{"", ""}};
  span.annotations = {{2000, ""}};
  const std::string body = Encoded({span});
  EXPECT_NE(body.find(FromHex("5a040a001200")), body.npos);
  EXPECT_NE(body.find(FromHex("520b0902000000000000001200")), body.npos);
}

TEST(ZipkinProto3EncoderTest, AStartBeforeTheEpochIsUnknown) {
  SpanRecord span;
  span.trace_id_low = span.span_id = 1;
  for (const std::int64_t ns : {-1'000'000, 0, 999}) {
    span.start_ns = ns;
    EXPECT_EQ(Decoded(span).timestamp(), 0u) << ns;
  }
}

TEST(ZipkinProto3EncoderTest, ExtremeNumbersAreWrittenWhole) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  SpanRecord span;
  span.trace_id_low = span.trace_id_high = span.span_id = span.parent_span_id = ~0ull;
  span.start_ns = span.duration_ns = kMost;
  span.remote.port = 65535;
  span.debug = true;
  ExpectSpan(Decoded(span), span);
}

TEST(ZipkinProto3EncoderTest, LengthsOfEverySizeAreRight) {
  SpanRecord span;
  span.trace_id_low = span.span_id = 1;
  for (const std::size_t size : {0, 1, 126, 127, 128, 129, 16383, 16384, 2097151, 2097152}) {
    const std::string text(size, 'x');
    span.name = text;
    span.tags = {{text, text}};
    EXPECT_EQ(Decoded(span).name().size(), size);
    EXPECT_EQ(Decoded(span).tags().at(text), text);
  }
}

TEST(ZipkinProto3EncoderTest, ALargeSpanLeavesNothingInTheNext) {
  SpanRecord small;
  small.trace_id_low = small.span_id = 1;
  SpanRecord large = small;
  const std::string text(1 << 20, 'x');
  large.name = text;
  EXPECT_EQ(Encoded({large, small}), Encoded({large}) + Encoded({small}));
}

TEST(ZipkinProto3EncoderTest, NoSpansAreAnEmptyBody) {
  EXPECT_EQ(Encoded({}), "");
  EXPECT_EQ(ZipkinProto3Encoder().content_type(), "application/x-protobuf");
}

}  // namespace
}  // namespace tracekin::exporter
