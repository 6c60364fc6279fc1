// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/span_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tracekin {
namespace {

// Writes the format from its description, independently of the tracer's writer.
class Bytes {
 public:
  Bytes() : bytes_(sizeof(SpanHeader), '\0') {}

  Bytes& Add(EntryType type, std::string_view key, std::string_view value) {
    const EntryHeader header{type, static_cast<std::uint16_t>(key.size()),
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
  SpanDecoder decoder("service");
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
  EXPECT_EQ(record.local.service_name, "service");
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
  SpanDecoder decoder("service");
  EXPECT_EQ(TagOf(decoder.Decode(bytes.Finish()), "key"), "new");
}

TEST(SpanDecoder, MakesARemoteEndpointOfPeerTags) {
  Bytes bytes;
  bytes.Add(EntryType::kTag, "peer.service", "db")
      .Add(EntryType::kTag, "peer.ipv4", "10.0.0.1")
      .Add(EntryType::kTag, "peer.ipv6", "::1")
      .Add(EntryType::kTag, "peer.port", "65535")
      .Add(EntryType::kTag, "peer.hostname", "stays");
  SpanDecoder decoder("service");
  const SpanRecord& record = decoder.Decode(bytes.Finish());
  EXPECT_EQ(record.remote.service_name, "db");
  EXPECT_EQ(record.remote.ipv4, "10.0.0.1");
  EXPECT_EQ(record.remote.ipv6, "::1");
  EXPECT_EQ(record.remote.port, 65535);
  ASSERT_EQ(record.tags.size(), 1U);
  EXPECT_EQ(TagOf(record, "peer.hostname"), "stays");
}

TEST(SpanDecoder, LeavesAPortThatIsNoneAmongTheTags) {
  for (const std::string_view port : {"65536", "-1", "", "80x", "http", "1e3"}) {
    Bytes bytes;
    bytes.Add(EntryType::kTag, "peer.port", port);
    SpanDecoder decoder("service");
    const SpanRecord& record = decoder.Decode(bytes.Finish());
    EXPECT_EQ(record.remote.port, 0) << port;
    EXPECT_EQ(TagOf(record, "peer.port"), port);
  }
}

TEST(SpanDecoder, DropsAnErrorTagThatDenies) {
  Bytes denies;
  denies.Add(EntryType::kTag, "error", "false");
  Bytes says;
  says.Add(EntryType::kTag, "error", "true");
  SpanDecoder decoder("service");
  EXPECT_TRUE(decoder.Decode(denies.Finish()).tags.empty());
  EXPECT_EQ(TagOf(decoder.Decode(says.Finish()), "error"), "true");
}

TEST(SpanDecoder, MakesTextValidUtf8) {
  using std::string_view_literals::operator""sv;
  Bytes bytes;
  bytes.Add(EntryType::kName, {}, "a\xff"sv)
      .Add(EntryType::kTag, "k\0"sv, "v\xc3"sv)
      .AddLog(1, "l\x80"sv);
  SpanDecoder decoder("service");
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
  SpanDecoder decoder("service");
  EXPECT_EQ(TagOf(decoder.Decode(bytes.Finish(header)), "tracekin.truncated"), "3");
}

TEST(SpanDecoder, KeepsNothingOfTheSpanBefore) {
  SpanHeader header{};
  header.debug = true;
  header.truncated = 1;
  Bytes first;
  first.Add(EntryType::kName, {}, "a").Add(EntryType::kTag, "peer.port", "1").AddLog(1, "x");
  Bytes second;
  SpanDecoder decoder("service");
  decoder.Decode(first.Finish(header));
  const SpanRecord& record = decoder.Decode(second.Finish());
  EXPECT_EQ(record.name, "");
  EXPECT_FALSE(record.debug);
  EXPECT_TRUE(record.tags.empty());
  EXPECT_TRUE(record.annotations.empty());
  EXPECT_TRUE(record.remote.empty());
}

}  // namespace
}  // namespace tracekin
