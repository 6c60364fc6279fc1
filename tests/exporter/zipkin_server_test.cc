// SPDX-License-Identifier: Apache-2.0
// Tests how a real Zipkin server stores our spans. Its URL is in TRACEKIN_ZIPKIN_URL; see
// with_zipkin.sh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "exporter/encoding/zipkin_answer.h"
#include "exporter/encoding/zipkin_json_encoder.h"
#include "exporter/transport/http_transport.h"
#include "tests/exporter/zipkin_client.h"

namespace tracekin::exporter {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ZipkinServerTest : public ::testing::Test {
 protected:
  ZipkinServerTest() {
    ExporterOptions options;
    options.endpoint = ServerUrl() + "/api/v2/spans";
    transport_ = std::make_unique<HttpTransport>(
        options, ZipkinJsonEncoder(ZipkinJsonEncoder::Framing::kArray).content_type(),
        JudgeZipkinAnswer);
    trace_id_ = RandomTraceId();
  }

  // Returns a span with ids, a name and times.
  SpanRecord MakeSpan() const {
    SpanRecord span;
    span.trace_id_low = trace_id_;
    span.span_id = 0xb;
    span.name = "name";
    span.start_ns = std::chrono::system_clock::now().time_since_epoch().count();
    span.duration_ns = 1'500'000;
    return span;
  }

  static std::string Encode(const std::vector<SpanRecord>& spans,
                            ZipkinJsonEncoder::Framing framing) {
    ZipkinJsonEncoder encoder(framing);
    std::string body;
    const Resource resource;
    encoder.Begin(resource, &body);
    for (const SpanRecord& span : spans) encoder.Add(span, &body);
    encoder.End(spans.size(), &body);
    return body;
  }

  SendResult Post(const std::vector<SpanRecord>& spans) {
    return transport_->Send(Encode(spans, ZipkinJsonEncoder::Framing::kArray),
                            Transport::Clock::now() + seconds(30));
  }

  // Returns the spans of this test's trace as the server stores them.
  rapidjson::Document Stored(std::size_t count = 1, std::uint64_t high_half = 0) const {
    return StoredSpans(high_half, trace_id_, count);
  }

  // Posts `span` and expects that it is read back unchanged.
  void ExpectRoundTrip(const SpanRecord& span) {
    const SendResult result = Post({span});
    ASSERT_EQ(result.status, SendStatus::kAccepted) << result.message;
    const std::string sent = Encode({span}, ZipkinJsonEncoder::Framing::kLines);
    rapidjson::Document expected;
    expected.Parse(sent.data(), sent.size());
    const rapidjson::Document stored = Stored(1, span.trace_id_high);
    ASSERT_GE(stored.Size(), 1u);
    EXPECT_TRUE(stored[0] == expected) << sent;
  }

  std::uint64_t trace_id_;
  std::unique_ptr<HttpTransport> transport_;
};

TEST_F(ZipkinServerTest, EveryFieldComesBack) {
  SpanRecord span = MakeSpan();
  span.trace_id_high = 0xfedcba9876543210;
  span.parent_span_id = 0xa;
  span.kind = SpanKind::kServer;
  span.debug = true;
  span.local = {"frontend", "10.23.14.72", "2001:db8::c001", 8080};
  span.remote = {"backend", "192.168.99.101", "", 65535};
  span.annotations = {{span.start_ns + 1000, "one"}, {span.start_ns + 2000, "two"}};
  span.tags = {{"http.method", "GET"}, {"http.path", "/items"}, {"empty", ""}};
  ExpectRoundTrip(span);
}

TEST_F(ZipkinServerTest, EveryKindComesBack) {
  std::vector<SpanRecord> spans;
  for (const SpanKind kind : {SpanKind::kLocal, SpanKind::kClient, SpanKind::kServer,
                              SpanKind::kProducer, SpanKind::kConsumer}) {
    SpanRecord span = MakeSpan();
    span.span_id += spans.size();
    span.kind = kind;
    spans.push_back(span);
  }
  ASSERT_EQ(Post(spans).status, SendStatus::kAccepted);
  std::string kinds;
  const rapidjson::Document stored = Stored(spans.size());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    for (const auto& span : stored.GetArray()) {
      if (span["id"].GetString()[15] != "bcdef"[i]) continue;
      kinds += span.HasMember("kind") ? span["kind"].GetString() : "none";
      kinds += ' ';
    }
  }
  EXPECT_EQ(kinds, "none CLIENT SERVER PRODUCER CONSUMER ");
}

TEST_F(ZipkinServerTest, HostileTextComesBack) {
  const std::string text =
      "\"},{\\ \b\f\n\r\t\x01\x1F\x7F </script> \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80 "
      "\xE2\x80\xA8";
  SpanRecord span = MakeSpan();
  span.annotations = {{span.start_ns, text}};
  span.tags = {{text, text}, {"", "the empty key"}};
  ExpectRoundTrip(span);
}

TEST_F(ZipkinServerTest, TextThatLooksLikeVersion1ComesBack) {
  SpanRecord span = MakeSpan();
  span.annotations = {{span.start_ns, "binaryAnnotations"}};
  span.tags = {{"yAnnotations", "yAnnotations"}, {"Endpoint", "tags"}};
  ExpectRoundTrip(span);
}

TEST_F(ZipkinServerTest, ExtremeTimesAreTaken) {
  SpanRecord span = MakeSpan();
  span.start_ns = span.duration_ns = std::numeric_limits<std::int64_t>::max();
  span.annotations = {{0, "epoch"}, {-1'000'000, "before"}};
  EXPECT_EQ(Post({span}).status, SendStatus::kAccepted);
  span.start_ns = -1;
  span.duration_ns = -1;
  EXPECT_EQ(Post({span}).status, SendStatus::kAccepted);
}

TEST_F(ZipkinServerTest, ALargeBatchIsStoredWhole) {
  std::vector<SpanRecord> spans(1000, MakeSpan());
  for (std::size_t i = 0; i < spans.size(); ++i) spans[i].span_id = i + 1;
  const SendResult result = Post(spans);
  ASSERT_EQ(result.status, SendStatus::kAccepted) << result.message;
  Stored(spans.size());
}

TEST_F(ZipkinServerTest, RejectionHasTheServersWords) {
  SpanRecord span = MakeSpan();
  span.span_id = 0;  // a tracer never does this
  const SendResult result = Post({span});
  EXPECT_EQ(result.status, SendStatus::kRejected);
  EXPECT_THAT(result.message, StartsWith("HTTP 400: "));
  EXPECT_THAT(result.message, HasSubstr("id"));
  EXPECT_EQ(Post({MakeSpan()}).status, SendStatus::kAccepted);
}

TEST_F(ZipkinServerTest, ABatchThatIsTooLargeIsToldFromABadOne) {
  const std::string text(11 << 20, 'x');
  SpanRecord span = MakeSpan();
  span.tags = {{"key", text}};
  const SendResult result = Post({span});
  EXPECT_EQ(result.status, SendStatus::kTooLarge);
  EXPECT_THAT(result.message, HasSubstr("413"));
  EXPECT_EQ(Post({MakeSpan()}).status, SendStatus::kAccepted);
}

TEST_F(ZipkinServerTest, CompressedBatchesAreStored) {
  ExporterOptions options;
  options.endpoint = ServerUrl() + "/api/v2/spans";
  options.compression = "gzip";
  transport_ = std::make_unique<HttpTransport>(options, "application/json", JudgeZipkinAnswer);
  const std::string text(11 << 20, 'x');  // too large without compression
  SpanRecord span = MakeSpan();
  span.tags = {{"key", text}};
  ExpectRoundTrip(span);
  std::vector<SpanRecord> spans(1000, MakeSpan());
  for (std::size_t i = 0; i < spans.size(); ++i) spans[i].span_id = i + 0x1000;
  EXPECT_EQ(Post(spans).status, SendStatus::kAccepted);
  Stored(spans.size() + 1);
}

TEST_F(ZipkinServerTest, AnotherPathIsRejected) {
  ExporterOptions options;
  options.endpoint = ServerUrl() + "/api/v3/spans";
  HttpTransport transport(options, "application/json", JudgeZipkinAnswer);
  const SendResult result = transport.Send("[]", Transport::Clock::now() + seconds(30));
  EXPECT_EQ(result.status, SendStatus::kRejected);
  EXPECT_THAT(result.message, StartsWith("HTTP 404"));
}

}  // namespace
}  // namespace tracekin::exporter
