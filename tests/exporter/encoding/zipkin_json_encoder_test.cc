// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_json_encoder.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tracekin::exporter {
namespace {

using Framing = ZipkinJsonEncoder::Framing;

SpanRecord MinimalSpan() {
  SpanRecord span;
  span.trace_id_low = 0xdc955a1d4768875d;
  span.span_id = 0xb;
  return span;
}

SpanRecord FullSpan() {
  SpanRecord span;
  span.trace_id_high = 0x0123456789abcdef;
  span.trace_id_low = 0xfedcba9876543210;
  span.span_id = 0x71;
  span.parent_span_id = 0xa000000000000000;
  span.start_ns = 1510256710021866999;
  span.duration_ns = 1117999;
  span.kind = SpanKind::kServer;
  span.debug = span.shared = true;
  span.name = "get /items";
  span.local = {"frontend", "10.23.14.72", "2001:db8::c001", 8080};
  span.remote = {"", "192.168.99.101", "", 9000};
  span.annotations = {{1510256710022000001, "cache miss"}, {1510256710022500000, "retry"}};
  span.tags = {{"http.method", "GET"}, {"http.path", "/items"}};
  return span;
}

std::string Encode(Framing framing, const std::vector<SpanRecord>& spans) {
  ZipkinJsonEncoder encoder(framing);
  std::string body;
  const Resource resource;
  encoder.Begin(resource, &body);
  for (const SpanRecord& span : spans) encoder.Add(span, &body);
  encoder.End(spans.size(), &body);
  return body;
}

std::string Line(const SpanRecord& span) {
  std::string line = Encode(Framing::kLines, {span});
  EXPECT_EQ(line.back(), '\n');
  line.pop_back();
  return line;
}

rapidjson::Document Parsed(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
  EXPECT_FALSE(document.HasParseError()) << json;
  return document;
}

std::string_view Text(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

TEST(ZipkinJsonEncoderTest, WritesWhatThereIsInZipkinsOrder) {
  EXPECT_EQ(
      Line(FullSpan()),
      R"({"traceId":"0123456789abcdeffedcba9876543210","parentId":"a000000000000000",)"
      R"("id":"0000000000000071","kind":"SERVER","name":"get /items","timestamp":1510256710021866,)"
      R"("duration":1117,"localEndpoint":{"serviceName":"frontend","ipv4":"10.23.14.72",)"
      R"("ipv6":"2001:db8::c001","port":8080},"remoteEndpoint":{"ipv4":"192.168.99.101","port":9000},)"
      R"("annotations":[{"timestamp":1510256710022000,"value":"cache miss"},)"
      R"({"timestamp":1510256710022500,"value":"retry"}],)"
      R"("tags":{"http.method":"GET","http.path":"/items"},"debug":true,"shared":true})");
}

TEST(ZipkinJsonEncoderTest, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(Line(MinimalSpan()),
            R"({"traceId":"dc955a1d4768875d","id":"000000000000000b","duration":1})");
}

TEST(ZipkinJsonEncoderTest, ArrayFraming) {
  const std::string span = Line(MinimalSpan());
  EXPECT_EQ(Encode(Framing::kArray, {}), "[]");
  EXPECT_EQ(Encode(Framing::kArray, {MinimalSpan()}), '[' + span + ']');
  EXPECT_EQ(Encode(Framing::kArray, {MinimalSpan(), MinimalSpan(), MinimalSpan()}),
            '[' + span + ',' + span + ',' + span + ']');
  EXPECT_EQ(ZipkinJsonEncoder(Framing::kArray).content_type(), "application/json");
}

TEST(ZipkinJsonEncoderTest, LineFraming) {
  const std::string span = Line(MinimalSpan());
  EXPECT_EQ(Encode(Framing::kLines, {}), "");
  EXPECT_EQ(Encode(Framing::kLines, {MinimalSpan(), MinimalSpan()}), span + '\n' + span + '\n');
  EXPECT_EQ(ZipkinJsonEncoder(Framing::kLines).content_type(), "application/x-ndjson");
}

TEST(ZipkinJsonEncoderTest, ALineStaysALineWhateverTheTextHolds) {
  SpanRecord span = MinimalSpan();
  span.name = "a\nb\r\nc";
  const std::string body = Encode(Framing::kLines, {span, span});
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 2);
  EXPECT_EQ(body.find('\r'), std::string::npos);
}

TEST(ZipkinJsonEncoderTest, IdsHaveAllTheirDigits) {
  SpanRecord span = MinimalSpan();
  for (int bit = 0; bit < 64; ++bit) {
    span.span_id = std::uint64_t{1} << bit;
    span.trace_id_high = span.trace_id_low = span.parent_span_id = ~span.span_id;
    const rapidjson::Document json = Parsed(Line(span));
    char id[17], inverse[17];
    snprintf(id, sizeof id, "%016lx", span.span_id);
    snprintf(inverse, sizeof inverse, "%016lx", ~span.span_id);
    EXPECT_EQ(Text(json["id"]), id);
    EXPECT_EQ(Text(json["parentId"]), inverse);
    EXPECT_EQ(Text(json["traceId"]), std::string(inverse) + inverse);
  }
}

TEST(ZipkinJsonEncoderTest, TraceIdWhoseLowHalfIsZeroKeepsBothHalves) {
  SpanRecord span = MinimalSpan();
  span.trace_id_high = 1;
  span.trace_id_low = 0;
  EXPECT_EQ(Text(Parsed(Line(span))["traceId"]), "00000000000000010000000000000000");
}

TEST(ZipkinJsonEncoderTest, KindsAreUpperCase) {
  SpanRecord span = MinimalSpan();
  EXPECT_FALSE(Parsed(Line(span)).HasMember("kind"));
  span.kind = SpanKind::kClient;
  EXPECT_EQ(Text(Parsed(Line(span))["kind"]), "CLIENT");
  span.kind = SpanKind::kServer;
  EXPECT_EQ(Text(Parsed(Line(span))["kind"]), "SERVER");
  span.kind = SpanKind::kProducer;
  EXPECT_EQ(Text(Parsed(Line(span))["kind"]), "PRODUCER");
  span.kind = SpanKind::kConsumer;
  EXPECT_EQ(Text(Parsed(Line(span))["kind"]), "CONSUMER");
}

TEST(ZipkinJsonEncoderTest, DurationIsAtLeastAMicrosecond) {
  SpanRecord span = MinimalSpan();
  for (const std::int64_t ns : {std::int64_t{0}, std::int64_t{999}, std::int64_t{1000}}) {
    span.duration_ns = ns;
    EXPECT_EQ(Parsed(Line(span))["duration"].GetInt64(), 1) << ns;
  }
  span.duration_ns = 2999;
  EXPECT_EQ(Parsed(Line(span))["duration"].GetInt64(), 2);
}

TEST(ZipkinJsonEncoderTest, ANegativeDurationIsUnknown) {
  SpanRecord span = MinimalSpan();
  span.duration_ns = -1;
  EXPECT_FALSE(Parsed(Line(span)).HasMember("duration"));
}

TEST(ZipkinJsonEncoderTest, AStartBeforeTheEpochIsUnknown) {
  SpanRecord span = MinimalSpan();
  for (const std::int64_t ns : {std::int64_t{-1'000'000}, std::int64_t{0}, std::int64_t{999}}) {
    span.start_ns = ns;
    EXPECT_FALSE(Parsed(Line(span)).HasMember("timestamp")) << ns;
  }
}

TEST(ZipkinJsonEncoderTest, TimesOfAnyLengthAreWrittenDigitByDigit) {
  SpanRecord span = MinimalSpan();
  std::vector<std::int64_t> times;
  for (std::int64_t power = 1; power <= 1'000'000'000'000'000; power *= 10) {
    for (const std::int64_t digit : {1, 5, 9}) {
      for (const std::int64_t more : {-1, 0, 1}) times.push_back(digit * power + more);
    }
  }
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> any(1,
                                                  std::numeric_limits<std::int64_t>::max() / 1000);
  for (int i = 0; i < 10000; ++i) times.push_back(any(random));
  for (const std::int64_t us : times) {
    if (us == 0) continue;
    span.start_ns = 1000 * us + 999;
    EXPECT_NE(Line(span).find(",\"timestamp\":" + std::to_string(us) + ","), std::string::npos)
        << us;
  }
}

TEST(ZipkinJsonEncoderTest, ExtremeNumbersAreWrittenWhole) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  SpanRecord span = MinimalSpan();
  span.start_ns = span.duration_ns = kMost;
  span.annotations = {{kMost, ""}, {std::numeric_limits<std::int64_t>::min(), ""}};
  span.remote.port = 65535;
  const rapidjson::Document json = Parsed(Line(span));
  EXPECT_EQ(json["timestamp"].GetInt64(), kMost / 1000);
  EXPECT_EQ(json["duration"].GetInt64(), kMost / 1000);
  EXPECT_EQ(json["annotations"][0]["timestamp"].GetInt64(), kMost / 1000);
  EXPECT_EQ(json["annotations"][1]["timestamp"].GetInt64(),
            std::numeric_limits<std::int64_t>::min() / 1000);
  EXPECT_EQ(json["remoteEndpoint"]["port"].GetInt(), 65535);
}

// Puts some text into each place of a span that can hold text, and visits the JSON of each such
// span.
class EveryText {
 public:
  EveryText() {
    span_ = MinimalSpan();
    span_.tags.resize(1);
    span_.annotations.resize(1);
  }

  template <class Visitor>
  void Visit(std::string_view text, Visitor&& visit) {
    for (std::string_view* place :
         {&span_.name, &span_.local.service_name, &span_.local.ipv4, &span_.local.ipv6,
          &span_.remote.service_name, &span_.tags[0].key, &span_.tags[0].value,
          &span_.annotations[0].text}) {
      *place = text;
      visit(Line(span_));
      *place = {};
    }
  }

 private:
  SpanRecord span_;
};

// Collects all strings within `value`, including the keys of objects.
void CollectTexts(const rapidjson::Value& value, std::vector<std::string>* texts) {
  if (value.IsString()) texts->push_back(std::string(Text(value)));
  if (value.IsArray()) {
    for (const auto& item : value.GetArray()) CollectTexts(item, texts);
  }
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      texts->push_back(std::string(Text(member.name)));
      CollectTexts(member.value, texts);
    }
  }
}

TEST(ZipkinJsonEncoderTest, HostileTextComesBackEverywhere) {
  const std::string every_control = [] {
    std::string text;
    for (char c = 1; c < 0x20; ++c) text += c;
    return text + '\x7F';
  }();
  for (const std::string& text :
       {std::string("\"},{\"traceId\":\"1"), std::string("\\"), std::string("\\u0000"),
        every_control, std::string("</script>\xE2\x80\xA8\xE2\x80\xA9"),
        std::string("\xF0\x9F\x98\x80\xEF\xBF\xBF"), std::string("with a NUL\0 in it", 16),
        std::string(100000, '\x01'), std::string(100000, 'x')}) {
    EveryText().Visit(text, [&text](const std::string& json) {
      std::vector<std::string> texts;
      CollectTexts(Parsed(json), &texts);
      EXPECT_EQ(std::count(texts.begin(), texts.end(), text), 1) << text.substr(0, 40);
    });
  }
}

// Zipkin's server rejects a v2 body as v1 if it contains these bytes.
TEST(ZipkinJsonEncoderTest, NoTextMakesABodyLookLikeVersion1) {
  for (const std::string text :
       {"yAnnotations", "binaryAnnotations", "yAnnotations\"", "\"yAnnotations\"x",
        "\nyAnnotations", "yAnnotationsyAnnotations", "yAnnotation", "Annotations"}) {
    EveryText().Visit(text, [&text](const std::string& json) {
      EXPECT_EQ(json.find("yAnnotations\""), std::string::npos) << json;
      std::vector<std::string> texts;
      CollectTexts(Parsed(json), &texts);
      EXPECT_EQ(std::count(texts.begin(), texts.end(), text), 1) << text;
    });
  }
}

TEST(ZipkinJsonEncoderTest, ALargeSpanLeavesNothingInTheNext) {
  ZipkinJsonEncoder encoder(Framing::kLines);
  const std::string large(1 << 20, '"');
  SpanRecord span = MinimalSpan();
  span.name = large;
  std::string body;
  encoder.Add(span, &body);
  EXPECT_EQ(Text(Parsed(body)["name"]), large);
  body.clear();
  encoder.Add(MinimalSpan(), &body);
  EXPECT_EQ(body, Line(MinimalSpan()) + '\n');
}

}  // namespace
}  // namespace tracekin::exporter
