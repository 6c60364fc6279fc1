// SPDX-License-Identifier: Apache-2.0
#include "ctf/packet.h"

#include <gmock/gmock.h>

#include "ctf/error.h"
#include "ctf/tsdl.h"
#include "tests/ctf/test_trace.h"
#include "tests/support/temp_folder.h"

namespace tracekin::ctf {
namespace {

using ::testing::HasSubstr;
using testing::PacketBytes;
using testing::TraceText;
using tracekin::testing::TempFolder;

class PacketsTest : public ::testing::Test {
 protected:
  PacketIndex Index(const std::string& bytes) {
    testing::WriteFile(path_, bytes);
    return IndexPackets(InputFile(path_), layout_);
  }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/channel_0";
  const TraceLayout layout_ = LayOut(ParseMetadata(TraceText().str()));
};

TEST_F(PacketsTest, AreFoundOneBehindTheOther) {
  const PacketBytes one{10, 20, 3, 5, 7, 1, "events", 100};
  const PacketBytes two{30, 40, 4, 6, 7, 1, "", 0};
  const PacketIndex index = Index(one.str() + two.str());
  EXPECT_EQ(index.damage, "");
  ASSERT_EQ(index.packets.size(), 2U);
  const Packet& first = index.packets[0];
  EXPECT_EQ(first.offset, 0U);
  EXPECT_EQ(first.events, PacketBytes::kHeader);
  EXPECT_EQ(first.content, PacketBytes::kHeader + 6);
  EXPECT_EQ(first.bytes, PacketBytes::kHeader + 106);
  EXPECT_EQ(first.begin, 10U);
  EXPECT_EQ(first.end, 20U);
  EXPECT_EQ(first.sequence, 3U);
  EXPECT_EQ(first.discarded, 5U);
  EXPECT_EQ(first.cpu, 7U);
  EXPECT_EQ(first.instance, 1U);
  EXPECT_EQ(index.packets[1].offset, first.bytes);
  EXPECT_EQ(index.packets[1].events, index.packets[1].content);
}

TEST_F(PacketsTest, AreReadAsFarAsTheFileGoes) {
  const std::string one = PacketBytes{10, 20, 0, 0, 0, 0, "first", 20}.str();
  const std::string two = PacketBytes{30, 40, 1, 0, 0, 0, "second", 20}.str();
  for (std::size_t size = one.size() + 1; size < one.size() + two.size(); ++size) {
    const PacketIndex index = Index((one + two).substr(0, size));
    ASSERT_GE(index.packets.size(), 1U);
    EXPECT_THAT(index.damage, HasSubstr(path_ + " at byte " + std::to_string(one.size())));
    for (const Packet& packet : index.packets) EXPECT_LE(packet.content, size);
  }
}

TEST_F(PacketsTest, ThatMakeNoSenseEndTheFile) {
  const std::string good = PacketBytes{10, 20}.str();
  const auto damage_of = [&](std::size_t at, const std::string& bytes) {
    std::string bad = good;
    const PacketIndex index = Index(good + bad.replace(at, bytes.size(), bytes));
    EXPECT_EQ(index.packets.size(), 1U);
    return index.damage;
  };
  using testing::Bytes;
  EXPECT_THAT(damage_of(0, "x"), HasSubstr("no packet begins here"));
  EXPECT_THAT(damage_of(4, "x"), HasSubstr("another trace"));
  EXPECT_THAT(damage_of(20, "x"), HasSubstr("a stream that the metadata lacks"));
  EXPECT_THAT(damage_of(24, "x"), HasSubstr("another stream than those before"));
  const std::size_t content = 48;
  const std::size_t packet = 56;
  EXPECT_THAT(damage_of(content, Bytes().U64(0).str()), HasSubstr("sizes"));
  EXPECT_THAT(damage_of(content, Bytes().U64(~0ULL).str()), HasSubstr("sizes"));
  EXPECT_THAT(damage_of(content, Bytes().U64(8 * PacketBytes::kHeader + 1).str()),
              HasSubstr("sizes"));
  EXPECT_THAT(damage_of(packet, Bytes().U64(8).str()), HasSubstr("sizes"));
  EXPECT_THAT(damage_of(40, Bytes().U64(1).str()), HasSubstr("ends before it begins"));
}

TEST_F(PacketsTest, OfAGiantSizeAreCutAtTheFilesEnd) {
  std::string packet = PacketBytes{10, 20, 0, 0, 0, 0, "events"}.str();
  packet.replace(48, 16, testing::Bytes().U64(~0ULL - 7).U64(~0ULL - 7).str());
  const PacketIndex index = Index(packet);
  ASSERT_EQ(index.packets.size(), 1U);
  EXPECT_EQ(index.packets[0].content, packet.size());
  EXPECT_THAT(index.damage, HasSubstr("in the middle of this packet"));
}

TEST_F(PacketsTest, OfAFileThatIsNotThereAreAnError) {
  EXPECT_THROW(InputFile("/nonexistent"), ReadError);
}

TEST(LayOut, RefusesPacketsThatDoNotSayWhatIsNeeded) {
  const auto without = [](const std::string& what, const std::string& instead) {
    std::string text = TraceText().str();
    return text.replace(text.find(what), what.size(), instead);
  };
  EXPECT_NO_THROW(LayOut(ParseMetadata(without("u64 packet_seq_num;", ""))));
  for (const auto& [what, instead] : std::vector<std::pair<std::string, std::string>>{
           {"u64 content_size;", ""},
           {"u64 content_size;", "u64 _content_size;"},
           {"t64 timestamp_begin;", "u64 timestamp_begin;"},
           {"u64 packet_seq_num;", "t64 other_time;"},
           {"u32 stream_id;", ""},
           {"clock {", "clock { name = other; }; clock {"},
           {"map = clock.monotonic.value; } := t64", "map = clock.other.value; } := t64"}}) {
    EXPECT_THROW(LayOut(ParseMetadata(without(what, instead))), NotUnderstood) << what;
  }
}

TEST(LayOut, RefusesManyStreamsOfGreatEventIds) {
  std::string text = TraceText().str();
  const std::string stream = text.substr(text.find("stream { id = 0;"));
  for (int id = 1; id < 4; ++id) {
    const std::string number = std::to_string(id);
    text += "stream { id = " + number + stream.substr(15);
    text += "event { name = e; id = 65000; stream_id = " + number + "; fields := struct { }; };";
  }
  try {
    LayOut(ParseMetadata(text));
    ADD_FAILURE() << "it is not refused";
  } catch (const NotUnderstood& error) {
    EXPECT_STREQ(error.what(), "too many events");
  }
}

}  // namespace
}  // namespace tracekin::ctf
