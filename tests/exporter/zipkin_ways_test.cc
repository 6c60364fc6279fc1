// SPDX-License-Identifier: Apache-2.0
// Sends the same spans to a real Zipkin server in every supported way, reads them back and compares
// them with each other.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exporter/destination.h"
#include "exporter/encoding/scribe_encoder.h"
#include "exporter/encoding/zipkin_answer.h"
#include "exporter/encoding/zipkin_json_encoder.h"
#include "exporter/encoding/zipkin_proto3_encoder.h"
#include "exporter/encoding/zipkin_thrift_encoder.h"
#include "exporter/pipeline/span_bytes.h"
#include "exporter/transport/http_transport.h"
#include "exporter/transport/scribe_transport.h"
#include "tests/exporter/encoding/varied_spans.h"
#include "tests/exporter/zipkin_client.h"
#include "tests/support/seed.h"

namespace tracekin::exporter {
namespace {

constexpr std::size_t kSpans = 1000;
constexpr std::size_t kBatch = 100;

// A way to send spans to the server.
struct Way {
  std::string name;
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<Transport> transport;
};

// Returns the options for a POST to `path` of the server.
ExporterOptions To(const std::string& path) {
  ExporterOptions options;
  options.endpoint = ServerUrl() + path;
  return options;
}

std::unique_ptr<Transport> Http(const std::string& path, const Encoder& encoder) {
  return std::make_unique<HttpTransport>(To(path), encoder.content_type(), JudgeZipkinAnswer);
}

std::unique_ptr<Transport> Scribe(bool strict) {
  ExporterOptions options;
  options.endpoint = ServerUrl("TRACEKIN_ZIPKIN_SCRIBE_URL");
  options.scribe_strict = strict;
  return std::make_unique<ScribeTransport>(options);
}

std::vector<Way> Ways() {
  std::vector<Way> ways;
  const auto add = [&ways](std::string name, std::unique_ptr<Encoder> encoder, auto connect) {
    auto transport = connect(*encoder);
    ways.push_back({std::move(name), std::move(encoder), std::move(transport)});
  };
  const auto v1 = [](const Encoder& encoder) { return Http("/api/v1/spans", encoder); };
  const auto v2 = [](const Encoder& encoder) { return Http("/api/v2/spans", encoder); };
  add("JSON", std::make_unique<ZipkinJsonEncoder>(ZipkinJsonEncoder::Framing::kArray), v2);
  add("proto3", std::make_unique<ZipkinProto3Encoder>(), v2);
  add("Thrift", std::make_unique<ZipkinThriftEncoder>(), v1);
  add("Scribe", std::make_unique<ScribeEncoder>("zipkin"),
      [](const Encoder&) { return Scribe(false); });
  add("Scribe, strict", std::make_unique<ScribeEncoder>("zipkin"),
      [](const Encoder&) { return Scribe(true); });
  return ways;
}

void Send(const Way& way, const std::vector<SpanRecord>& spans) {
  for (auto batch = spans.begin(); batch != spans.end(); batch += kBatch) {
    const std::string body = Encode(*way.encoder, {batch, batch + kBatch});
    const SendResult result =
        way.transport->Send(body, Transport::Clock::now() + std::chrono::seconds(30));
    ASSERT_EQ(result.status, SendStatus::kAccepted) << way.name << ": " << result.message;
  }
}

// Returns a span's JSON with its fields sorted.
std::string InOrder(rapidjson::Value* span) {
  std::sort(span->MemberBegin(), span->MemberEnd(), [](const auto& a, const auto& b) {
    return std::string_view(a.name.GetString()) < b.name.GetString();
  });
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  span->Accept(writer);
  return text.GetString();
}

using SpansById = std::map<std::string, std::string>;

// Adds the spans of a trace, without the trace's id.
void AddStored(std::uint64_t trace_id_high, std::uint64_t trace_id, SpansById* spans) {
  rapidjson::Document stored = StoredSpans(trace_id_high, trace_id, kSpans / 2);
  for (rapidjson::Value& span : stored.GetArray()) {
    const std::string id = span["id"].GetString();
    span.RemoveMember("traceId");
    EXPECT_TRUE(spans->emplace(id, InOrder(&span)).second) << "twice: " << id;
  }
}

SpansById SendAndReadBack(const Way& way, std::int64_t start_ns) {
  const std::uint64_t trace_id = RandomTraceId();
  const VariedSpans varied(kSpans, trace_id, start_ns);
  SpansById stored;
  Send(way, varied.spans());
  if (::testing::Test::HasFatalFailure()) return stored;
  AddStored(0, trace_id, &stored);
  AddStored(VariedSpans::kHigh, trace_id, &stored);
  return stored;
}

TEST(ZipkinWaysTest, AllLeadToTheSameSpans) {
  const std::int64_t start_ns = std::chrono::system_clock::now().time_since_epoch().count();
  SpansById first;
  for (const Way& way : Ways()) {
    const SpansById stored = SendAndReadBack(way, start_ns);
    ASSERT_EQ(stored.size(), kSpans) << way.name;
    if (first.empty()) first = stored;
    int differences = 0;
    for (const auto& [id, span] : first) {
      if (stored.at(id) == span) continue;
      if (++differences > 3) continue;
      ADD_FAILURE() << way.name << " has\n" << stored.at(id) << "\nbut the first way has\n" << span;
    }
    EXPECT_EQ(differences, 0) << way.name;
  }
}

// Returns what the server stores for `span` when it is sent as `encoder` writes it.
std::string StoredAs(std::unique_ptr<Encoder> encoder, const ExporterOptions& options,
                     SpanRecord span) {
  span.trace_id_low = RandomTraceId();
  span.span_id = 1;
  HttpTransport transport(options, encoder->content_type(), JudgeZipkinAnswer);
  const SendResult result =
      transport.Send(Encode(*encoder, {span}), Transport::Clock::now() + std::chrono::seconds(30));
  EXPECT_EQ(result.status, SendStatus::kAccepted) << result.message;
  rapidjson::Document stored = StoredSpans(0, span.trace_id_low, 1);
  if (!stored.IsArray() || stored.Empty()) return {};
  for (const char* name : {"traceId", "id", "duration", "timestamp"}) stored[0].RemoveMember(name);
  return InOrder(&stored[0]);
}

std::string StoredAs(std::unique_ptr<Encoder> encoder, const char* path, const SpanRecord& span) {
  return StoredAs(std::move(encoder), To(path), span);
}

std::string StoredAsJson(const SpanRecord& span) {
  return StoredAs(std::make_unique<ZipkinJsonEncoder>(ZipkinJsonEncoder::Framing::kArray),
                  "/api/v2/spans", span);
}
std::string StoredAsProto3(const SpanRecord& span) {
  return StoredAs(std::make_unique<ZipkinProto3Encoder>(), "/api/v2/spans", span);
}
std::string StoredAsThrift(const SpanRecord& span) {
  return StoredAs(std::make_unique<ZipkinThriftEncoder>(), "/api/v1/spans", span);
}

SpanRecord FrontendSpan(SpanKind kind) {
  SpanRecord span;
  span.start_ns = std::chrono::system_clock::now().time_since_epoch().count();
  span.kind = kind;
  span.local.service_name = "frontend";
  return span;
}

// Zipkin 3.6.1 reads a compressed body in pieces of 8 KiB, and garbles a character whose bytes are
// in two of them. The characters here have three bytes, so that a border divides two of three.
TEST(ZipkinWaysTest, NonAsciiTextSurvivesCompression) {
  ExporterOptions options = To("/api/v2/spans");
  options.compression = "gzip";
  std::string text;
  while (text.size() < 60'000) text += "\xE2\x82\xAC";  // U+20AC
  SpanRecord span = FrontendSpan(SpanKind::kServer);
  span.tags = {{"text", text}, {"\xC3\xBC", "\xF0\x9F\x98\x80"}};
  EXPECT_EQ(StoredAs(FormatOf(options)->make_encoder(options), options, span), StoredAsJson(span));
}

// The losses that docs/configuration.md describes.
TEST(ZipkinWaysTest, WhatProto3DoesNotCarry) {
  SpanRecord span = FrontendSpan(SpanKind::kLocal);
  span.tags = {{"", "x"}, {"a", ""}};
  span.annotations = {{5'000'000, ""}, {6'000'000, "b"}};
  EXPECT_EQ(StoredAsProto3(span), R"({"annotations":[{"timestamp":6000,"value":"b"}],)"
                                  R"("localEndpoint":{"serviceName":"frontend"},"tags":{"a":""}})");
  const char* const whole =
      R"({"annotations":[{"timestamp":5000,"value":""},{"timestamp":6000,"value":"b"}],)"
      R"("localEndpoint":{"serviceName":"frontend"},"tags":{"":"x","a":""}})";
  EXPECT_EQ(StoredAsJson(span), whole);
  EXPECT_EQ(StoredAsThrift(span), whole);
}

TEST(ZipkinWaysTest, TagsThatThriftDoesNotCarry) {
  for (const SpanKind kind : {SpanKind::kLocal, SpanKind::kClient, SpanKind::kServer,
                              SpanKind::kProducer, SpanKind::kConsumer}) {
    SpanRecord span = FrontendSpan(kind);
    span.remote.service_name = "backend";
    const std::string without = StoredAsJson(span);
    span.tags = {{"sa", "1"}, {"ca", "2"}, {"ma", "3"}, {"lc", ""}};
    EXPECT_EQ(StoredAsThrift(span), without);
    span.remote = {};
    span.tags.pop_back();
    SpanRecord bare = span;
    bare.tags.clear();
    EXPECT_EQ(StoredAsThrift(span), StoredAsJson(bare));
  }
}

TEST(ZipkinWaysTest, APeerOfTheServersOwnNameLosesItInThrift) {
  SpanRecord span = FrontendSpan(SpanKind::kServer);
  span.remote = {"frontend", "10.1.2.3", "", 0};
  SpanRecord nameless = span;
  nameless.remote.service_name = {};
  EXPECT_EQ(StoredAsThrift(span), StoredAsJson(nameless));
  span.kind = SpanKind::kClient;
  EXPECT_EQ(StoredAsThrift(span), StoredAsJson(span));
}

// Sends a batch of `spans` in a `way` and returns the server's answer.
SendStatus Answer(const Way& way, const std::vector<SpanRecord>& spans) {
  return way.transport
      ->Send(Encode(*way.encoder, spans), Transport::Clock::now() + std::chrono::seconds(30))
      .status;
}

// A single such span would cost a whole batch. Takes() must predict the server's decision.
TEST(ZipkinWaysTest, OnlySpansWithIdsAreTaken) {
  for (const Way& way : Ways()) {
    const auto expect = [&way](std::uint64_t high, std::uint64_t low, std::uint64_t id) {
      SpanRecord span = FrontendSpan(SpanKind::kServer);
      span.trace_id_high = high;
      span.trace_id_low = low;
      span.span_id = id;
      const SendStatus status = Answer(way, {span});
      EXPECT_EQ(status, way.encoder->Takes(span) ? SendStatus::kAccepted : SendStatus::kRejected)
          << way.name << ' ' << high << ' ' << low << ' ' << id;
    };
    const std::uint64_t random = RandomTraceId();
    expect(random, 0, 1);
    expect(random, random, 0);
    expect(0, random, 0);
    expect(0, 0, 1);
    expect(0, 0, 0);
    expect(0, random, 1);
    expect(random, random, ~std::uint64_t{0});
  }
}

// Makes spans like those of programs, their peers and broken clocks. Their text contains arbitrary
// bytes; a decoder passes only valid UTF-8 to an encoder.
class HostileSpans {
 public:
  explicit HostileSpans(unsigned seed) : random_(seed) {}

  std::string Make(std::uint64_t trace_id, std::uint64_t id) {
    SpanHeader header{};
    header.name = sizeof header;
    header.trace_id_high = Below(2) == 0 ? 0 : VariedSpans::kHigh;
    header.trace_id_low = trace_id;
    header.span_id = id;
    header.parent_span_id = Below(3) == 0 ? Number() : Below(2) * id;
    header.start_ns = Number();
    header.duration_ns = Number();
    header.truncated = Below(5) == 0 ? static_cast<std::uint32_t>(Number()) : 0;
    header.kind = static_cast<SpanKind>(Below(5));
    header.debug = Below(4) == 0;
    header.shared = Below(4) == 0;
    std::string span(reinterpret_cast<const char*>(&header), sizeof header);
    Put(EntryType::kName, "", Text(), &span);
    for (unsigned i = Below(12); i > 0; --i) PutAny(&span);
    const auto size = static_cast<std::uint32_t>(span.size());
    std::memcpy(span.data(), &size, sizeof size);
    return span;
  }

 private:
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  std::int64_t Number() {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t extremes[] = {
        0, 1, 999, 1000, -1, -1000, kMost, -kMost - 1, kMost / 1000, 1'700'000'000'000'000'000};
    if (Below(2) == 0) return extremes[Below(std::size(extremes))];
    return static_cast<std::int64_t>((std::uint64_t{random_()} << 32 | random_()) >> Below(64));
  }

  std::string Text() {
    static const std::string pieces[] = {"",
                                         "a",
                                         "\"",
                                         "\\",
                                         std::string(1, '\0'),
                                         "\xFF",
                                         "\xC3",
                                         "\xED\xA0\x80",
                                         "\xE2\x80\xA8",
                                         "\xEF\xBF\xBE",
                                         "\xF4\x8F\xBF\xBF",
                                         "\x1B[m",
                                         "\x7F",
                                         "\xC2\x85",
                                         "</script>",
                                         "yAnnotations\""};
    std::string text;
    for (unsigned i = Below(4); i > 0; --i) text += pieces[Below(std::size(pieces))];
    if (Below(30) == 0) text += std::string(Below(5000), 'x');
    return text;
  }

  void PutAny(std::string* span) {
    static const char* const tags[] = {
        "peer.service", "peer.ipv4", "peer.ipv6", "peer.port", "error", "sa", "lc", "", "http.url"};
    static const char* const locals[] = {"service", "ipv4", "ipv6", "port"};
    static const char* const values[] = {
        "0.0.0.0", "4294967295", "::", "::ffff:0.0.0.0", "65535", "0", "-1", "false", "999.1.1.1"};
    const std::string value = Below(2) == 0 ? Text() : values[Below(std::size(values))];
    switch (Below(4)) {
      case 0: {
        const std::int64_t time = Number();
        return Put(EntryType::kLog, "",
                   std::string(reinterpret_cast<const char*>(&time), sizeof time) + Text(), span);
      }
      case 1:
        return Put(EntryType::kLocal, locals[Below(std::size(locals))], value, span);
      case 2:
        return Put(EntryType::kTag, tags[Below(std::size(tags))], value, span);
      default:
        return Put(EntryType::kTag, Text(), value, span);
    }
  }

  static void Put(EntryType type, const std::string& key, const std::string& value,
                  std::string* span) {
    EntryHeader header{};
    header.type = type;
    header.key_size = static_cast<std::uint16_t>(key.size());
    header.value_size = static_cast<std::uint32_t>(value.size());
    span->append(reinterpret_cast<const char*>(&header), sizeof header);
    span->append(key).append(value).push_back('\0');
  }

  std::mt19937 random_;
};

// Adds the ids of the stored spans of a trace.
void AddIds(std::uint64_t high, std::uint64_t low, std::size_t count, std::set<std::string>* ids) {
  if (count == 0) return;
  const rapidjson::Document stored = StoredSpans(high, low, count);
  for (const auto& span : stored.GetArray()) ids->insert(span["id"].GetString());
}

TEST(ZipkinWaysTest, NoSpanIsEverRefusedForWhatItHolds) {
  constexpr std::size_t kHostile = 2000;
  for (const Way& way : Ways()) {
    HostileSpans hostile(testing::Seed(1));
    const std::uint64_t trace_id = RandomTraceId();
    std::size_t high = 0;
    for (std::size_t first = 1; first <= kHostile; first += kBatch) {
      const Resource resource{"hostile", {}};
      SpanDecoder decoder;
      std::string body;
      way.encoder->Begin(resource, &body);
      for (std::size_t id = first; id < first + kBatch; ++id) {
        const std::string span = hostile.Make(trace_id, id);
        ASSERT_TRUE(IsWellFormedSpan(span));
        const SpanRecord& record = decoder.Decode(span.data());
        high += record.trace_id_high != 0;
        way.encoder->Add(record, &body);
      }
      way.encoder->End(kBatch, &body);
      const SendResult result =
          way.transport->Send(body, Transport::Clock::now() + std::chrono::seconds(30));
      ASSERT_EQ(result.status, SendStatus::kAccepted) << way.name << ": " << result.message;
    }
    std::set<std::string> ids;
    AddIds(0, trace_id, kHostile - high, &ids);
    AddIds(VariedSpans::kHigh, trace_id, high, &ids);
    EXPECT_EQ(ids.size(), kHostile) << way.name;
  }
}

// The server's answers to calls that it cannot read.
TEST(ZipkinWaysTest, ScribeTellsWhyItRejects) {
  const auto transport = Scribe(false);
  const auto deadline = Transport::Clock::now() + std::chrono::seconds(30);
  ScribeEncoder encoder("zipkin");
  SpanRecord span;  // without ids
  const SendResult result = transport->Send(Encode(encoder, {span}), deadline);
  EXPECT_EQ(result.status, SendStatus::kRejected);
  EXPECT_NE(result.message.find("Thrift exception of type 6"), std::string::npos) << result.message;
  EXPECT_EQ(transport->Send("no Thrift", deadline).status, SendStatus::kRejected);
  span.trace_id_low = span.span_id = 1;
  EXPECT_EQ(transport->Send(Encode(encoder, {span}), deadline).status, SendStatus::kAccepted);
}

}  // namespace
}  // namespace tracekin::exporter
