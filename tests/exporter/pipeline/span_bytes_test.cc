// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/span_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tracekin::exporter {
namespace {

// Writes the format from its description, independently of the tracer's writer.
class Bytes {
 public:
  Bytes() : bytes_(sizeof(SpanHeader), '\0') {}

  Bytes& Add(EntryType type, std::string_view key, std::string_view value,
             ValueType value_type = ValueType::kText) {
    const EntryHeader header{type, value_type, static_cast<std::uint16_t>(key.size()),
                             static_cast<std::uint32_t>(value.size())};
    bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes_.append(key).append(value).push_back('\0');
    return *this;
  }
  Bytes& AddLog(std::int64_t timestamp, std::string_view message) {
    std::string value(reinterpret_cast<const char*>(&timestamp), sizeof timestamp);
    return Add(EntryType::kLog, {}, value.append(message));
  }
  const char* Finish(SpanHeader header = {}) {
    header.size = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &header, sizeof header);
    return bytes_.data();
  }

 private:
  std::string bytes_;
};

std::string TagOf(const SpanRecord& record, std::string_view key) {
  for (const auto& tag : record.tags) {
    if (tag.key == key) return std::string(tag.value);
  }
  return "(none)";
}

TEST(SpanDecoder, ReadsHeaderNameTagsAndLogs) {
  SpanHeader header{};
  header.trace_id_high = 1;
  header.trace_id_low = 2;
  header.span_id = 3;
  header.parent_span_id = 4;
  header.start_ns = 5;
  header.duration_ns = 6;
  header.kind = SpanKind::kProducer;
  header.debug = true;
  Bytes bytes;
  bytes.Add(EntryType::kName, {}, "operation")
      .Add(EntryType::kTag, "key", "value")
      .AddLog(7, "said");
  SpanDecoder decoder;
  const SpanRecord& record = decoder.Decode(bytes.Finish(header));
  EXPECT_EQ(record.trace_id_high, 1U);
  EXPECT_EQ(record.trace_id_low, 2U);
  EXPECT_EQ(record.span_id, 3U);
  EXPECT_EQ(record.parent_span_id, 4U);
  EXPECT_EQ(record.start_ns, 5);
  EXPECT_EQ(record.duration_ns, 6);
  EXPECT_EQ(record.kind, SpanKind::kProducer);
  EXPECT_TRUE(record.debug);
  EXPECT_EQ(record.name, "operation");
  EXPECT_TRUE(record.local.empty());
  EXPECT_TRUE(record.remote.empty());
  ASSERT_EQ(record.tags.size(), 1U);
  EXPECT_EQ(TagOf(record, "key"), "value");
  ASSERT_EQ(record.annotations.size(), 1U);
  EXPECT_EQ(record.annotations[0].timestamp_ns, 7);
  EXPECT_EQ(record.annotations[0].text, "said");
}

TEST(SpanDecoder, PassesOverDeadEntries) {
  Bytes bytes;
  bytes.Add(EntryType::kDead, "key", "old").Add(EntryType::kTag, "key", "new");
  SpanDecoder decoder;
  EXPECT_EQ(TagOf(decoder.Decode(bytes.Finish()), "key"), "new");
}

TEST(SpanDecoder, KeepsTheTypesOfValues) {
  Bytes bytes;
  bytes.Add(EntryType::kTag, "text", "1")
      .Add(EntryType::kTag, "bool", "true", ValueType::kBool)
      .Add(EntryType::kTag, "int", "-1", ValueType::kInt)
      .Add(EntryType::kTag, "double", "0.5", ValueType::kDouble)
      .Add(EntryType::kTag, "json", "[1]", ValueType::kJson);
  SpanDecoder decoder;
  const SpanRecord& record = decoder.Decode(bytes.Finish());
  ASSERT_EQ(record.tags.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(record.tags[i].type, static_cast<ValueType>(i));
}

TEST(SpanDecoder, GivesEachLogItsOwnFields) {
  Bytes bytes;
  bytes.AddLog(1, "one")
      .Add(EntryType::kLogField, "a", "1", ValueType::kInt)
      .Add(EntryType::kLogField, "b\xff", "")
      .AddLog(2, "none")
      .AddLog(3, "")
      .Add(EntryType::kLogField, "c", "x");
  SpanDecoder decoder;
  for (int i = 0; i < 2; ++i) {
    const SpanRecord& record = decoder.Decode(bytes.Finish());
    ASSERT_EQ(record.annotations.size(), 3U);
    ASSERT_EQ(record.annotations[0].fields.count, 2U);
    EXPECT_EQ(record.annotations[0].fields.first[0].key, "a");
    EXPECT_EQ(record.annotations[0].fields.first[0].type, ValueType::kInt);
    EXPECT_EQ(record.annotations[0].fields.first[1].key, "b\uFFFD");
    EXPECT_TRUE(record.annotations[1].fields.empty());
    ASSERT_EQ(record.annotations[2].fields.count, 1U);
    EXPECT_EQ(record.annotations[2].fields.begin()->value, "x");
  }
}

TEST(SpanDecoder, ReadsLinksTraceStateAndEndpoints) {
  SpanHeader header{};
  header.random_trace_id = true;
  const LinkBytes link{1, 2, 3, static_cast<std::uint64_t>(SpanRecord::Link::Type::kFollowsFrom)};
  Bytes bytes;
  bytes.Add(EntryType::kLink, "", {reinterpret_cast<const char*>(&link), sizeof link})
      .Add(EntryType::kTraceState, "", "vendor=1")
      .Add(EntryType::kLocal, "ipv4", "10.0.0.1")
      .Add(EntryType::kLocal, "ipv6", "none")
      .Add(EntryType::kRemote, "service", "db")
      .Add(EntryType::kRemote, "port", "65535");
  SpanDecoder decoder;
  const SpanRecord& record = decoder.Decode(bytes.Finish(header));
  ASSERT_EQ(record.links.size(), 1U);
  EXPECT_EQ(record.links[0].trace_id_high, 1U);
  EXPECT_EQ(record.links[0].trace_id_low, 2U);
  EXPECT_EQ(record.links[0].span_id, 3U);
  EXPECT_EQ(record.links[0].type, SpanRecord::Link::Type::kFollowsFrom);
  EXPECT_EQ(record.trace_state, "vendor=1");
  EXPECT_TRUE(record.random_trace_id);
  EXPECT_EQ(record.local.ipv4, "10.0.0.1");
  EXPECT_EQ(record.local.ipv6, "");
  EXPECT_EQ(record.remote.service_name, "db");
  EXPECT_EQ(record.remote.port, 65535);
}

TEST(SpanDecoder, TellsTheStatusByTheErrorTagAndKeepsTheTag) {
  const struct {
    std::string_view error;
    SpanStatus status;
    std::string_view message;
  } cases[] = {{"true", SpanStatus::kError, ""},
               {"false", SpanStatus::kOk, ""},
               {"timeout", SpanStatus::kError, "timeout"},
               {"", SpanStatus::kError, ""}};
  SpanDecoder decoder;
  for (const auto& c : cases) {
    Bytes bytes;
    bytes.Add(EntryType::kTag, "error", c.error).Add(EntryType::kTag, "peer.port", "80");
    const SpanRecord& record = decoder.Decode(bytes.Finish());
    EXPECT_EQ(record.status, c.status) << c.error;
    EXPECT_EQ(record.status_message, c.message);
    EXPECT_EQ(TagOf(record, "error"), c.error);
    EXPECT_EQ(TagOf(record, "peer.port"), "80");
    EXPECT_TRUE(record.remote.empty());
  }
  Bytes none;
  EXPECT_EQ(decoder.Decode(none.Finish()).status, SpanStatus::kUnset);
}

// Otherwise a field would be attached to a log that does not exist, or a link would be read beyond
// its end.
TEST(IsWellFormedSpan, RefusesWhatADecoderMustNotMeet) {
  const auto good = [](Bytes& bytes) {
    const char* const span = bytes.Finish();
    return IsWellFormedSpan({span, SpanSize(span)});
  };
  EXPECT_TRUE(good(Bytes().AddLog(1, "a").Add(EntryType::kLogField, "k", "v")));
  EXPECT_FALSE(good(Bytes().Add(EntryType::kLogField, "k", "v")));
  EXPECT_FALSE(
      good(Bytes().AddLog(1, "a").Add(EntryType::kTag, "", "").Add(EntryType::kLogField, "", "")));
  EXPECT_FALSE(good(Bytes().Add(EntryType::kLog, "", "1234567")));
  EXPECT_FALSE(good(Bytes().Add(EntryType::kLink, "", std::string(sizeof(LinkBytes) - 1, 'x'))));
  EXPECT_FALSE(good(Bytes().Add(static_cast<EntryType>(9), "", "")));
  EXPECT_FALSE(good(Bytes().Add(EntryType::kTag, "", "", static_cast<ValueType>(5))));
}

TEST(ResourceBytes, AreReadBackAsValidText) {
  const std::string bytes = ResourceBytes(
      {"serv\xffice",
       {{"zone", "a"}, {"cpus", "4", ValueType::kInt}, {std::string(2000, 'k'), ""}}});
  EXPECT_TRUE(AreWellFormedEntries(bytes));
  const ResourceReader reader(bytes);
  EXPECT_EQ(reader.resource().service_name, "serv\uFFFDice");
  ASSERT_EQ(reader.resource().tags.size(), 3U);
  EXPECT_EQ(reader.resource().tags[0].key, "zone");
  EXPECT_EQ(reader.resource().tags[1].value, "4");
  EXPECT_EQ(reader.resource().tags[1].type, ValueType::kInt);
  EXPECT_EQ(reader.resource().tags[2].key, std::string(1024, 'k'));
}

TEST(SpanDecoder, MakesTextValidUtf8) {
  using std::string_view_literals::operator""sv;
  Bytes bytes;
  bytes.Add(EntryType::kName, {}, "a\xff"sv)
      .Add(EntryType::kTag, "k\0"sv, "v\xc3"sv)
      .AddLog(1, "l\x80"sv);
  SpanDecoder decoder;
  const SpanRecord& record = decoder.Decode(bytes.Finish());
  EXPECT_EQ(record.name, "a\xEF\xBF\xBD");
  EXPECT_EQ(record.tags[0].key, "k\xEF\xBF\xBD");
  EXPECT_EQ(record.tags[0].value, "v\xEF\xBF\xBD");
  EXPECT_EQ(record.annotations[0].text, "l\xEF\xBF\xBD");
}

TEST(SpanDecoder, TellsHowMuchWasCut) {
  SpanHeader header{};
  header.truncated = 3;
  Bytes bytes;
  SpanDecoder decoder;
  EXPECT_EQ(TagOf(decoder.Decode(bytes.Finish(header)), "tracekin.truncated"), "3");
}

TEST(SpanDecoder, KeepsNothingOfTheSpanBefore) {
  SpanHeader header{};
  header.debug = true;
  header.truncated = 1;
  Bytes first;
  first.Add(EntryType::kName, {}, "a").Add(EntryType::kRemote, "port", "1").AddLog(1, "x");
  first.Add(EntryType::kTag, "error", "x").Add(EntryType::kTraceState, "", "a=1");
  Bytes second;
  SpanDecoder decoder;
  decoder.Decode(first.Finish(header));
  const SpanRecord& record = decoder.Decode(second.Finish());
  EXPECT_EQ(record.name, "");
  EXPECT_FALSE(record.debug);
  EXPECT_TRUE(record.tags.empty());
  EXPECT_TRUE(record.annotations.empty());
  EXPECT_TRUE(record.remote.empty());
  EXPECT_EQ(record.status, SpanStatus::kUnset);
  EXPECT_EQ(record.trace_state, "");
}

}  // namespace
}  // namespace tracekin::exporter
