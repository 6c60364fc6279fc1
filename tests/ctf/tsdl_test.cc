// SPDX-License-Identifier: Apache-2.0
#include "ctf/tsdl.h"

#include <gmock/gmock.h>

#include "ctf/error.h"
#include "tests/ctf/types.h"

namespace tracekin::ctf {
namespace {

using ::testing::HasSubstr;
using testing::ParseType;

constexpr char kTrace[] = "trace { major = 1; minor = 8; byte_order = le; };";

std::string WhyRefused(const std::string& text) {
  try {
    ParseMetadata(text);
  } catch (const NotUnderstood& error) {
    return error.what();
  }
  return "it is not refused";
}

TEST(ParseMetadata, KnowsWhatATraceSaysOfItself) {
  const Metadata metadata = ParseMetadata(R"(/* CTF 1.8 */
trace { major = 1; minor = 8; uuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564"; byte_order = le;
        packet.header := struct { integer { size = 32; } magic; }; };
env { domain = "kernel"; hostname = "host \"one\""; tracer_minor = 13; };
clock { name = "monotonic"; uuid = "2A6422D0-6cee-11e0-8c08-cb07d7b3a564";
        freq = 1000000000; /* Hz */ offset_s = 12; offset = -34; };
)");
  EXPECT_EQ(metadata.uuid, "2a6422d0-6cee-11e0-8c08-cb07d7b3a564");
  EXPECT_EQ(metadata.environment.at("domain"), "kernel");
  EXPECT_EQ(metadata.environment.at("hostname"), "host \"one\"");
  EXPECT_EQ(metadata.environment.at("tracer_minor"), "13");
  EXPECT_EQ(metadata.clocks.at("monotonic").uuid, "2a6422d0-6cee-11e0-8c08-cb07d7b3a564");
  EXPECT_EQ(metadata.clocks.at("monotonic").offset_seconds, 12);
  EXPECT_EQ(metadata.clocks.at("monotonic").offset_cycles, -34);
  EXPECT_EQ(metadata.packet_header->fields.at(0).name, "magic");
}

TEST(ParseMetadata, TakesEventsBeforeTheirStream) {
  const Metadata metadata = ParseMetadata(std::string(kTrace) + R"(
event { name = "p:e"; id = 3; stream_id = 1; loglevel = 6; model.emf.uri = "u";
        fields := struct { string _text; }; };
stream { id = 1; };
)");
  EXPECT_EQ(metadata.streams.at(1).events.at(3).name, "p:e");
}

TEST(ParseMetadata, KnowsIntegers) {
  const TypePointer type = ParseType(
      "struct { integer { size = 27; align = 1; signed = 0; map = clock.monotonic.value; } t;"
      "         integer { size = 0x10; signed = true; byte_order = be; base = 10; } n;"
      "         integer { size = 5; } b; u8 a[16]; u16 s[b]; }");
  const auto field = [&](int index) -> const Type& { return *type->fields.at(index).type; };
  EXPECT_EQ(field(0).bits, 27U);
  EXPECT_EQ(field(0).alignment, 1U);
  EXPECT_EQ(field(0).clock, "monotonic");
  EXPECT_EQ(field(1).bits, 16U);
  EXPECT_EQ(field(1).alignment, 8U);
  EXPECT_TRUE(field(1).is_signed);
  EXPECT_TRUE(field(1).big_endian);
  EXPECT_EQ(field(2).alignment, 1U);
  EXPECT_EQ(field(3).count, 16U);
  EXPECT_EQ(field(4).kind, Type::Kind::kSequence);
  EXPECT_EQ(field(4).tag, "b");
}

TEST(ParseMetadata, KnowsNamesOfSeveralWords) {
  const Metadata metadata =
      ParseMetadata(std::string(kTrace) +
                    "typealias integer { size = 64; } := unsigned long;"
                    "stream { id = 0; event.context := struct { unsigned long _n; }; };");
  EXPECT_EQ(metadata.streams.at(0).event_context->fields.at(0).type->bits, 64U);
}

TEST(ParseMetadata, KnowsEnumerations) {
  const TypePointer type = ParseType(
      "struct { enum : u8 { a, b = 5, \"c d\", e = 10 ... 20, _unknown = 21, _unknown = 30 } x; }");
  const std::vector<Type::Range>& ranges = type->fields.at(0).type->ranges;
  ASSERT_EQ(ranges.size(), 6U);
  EXPECT_EQ(ranges[0].low, 0);
  EXPECT_EQ(ranges[2].label, "c d");
  EXPECT_EQ(ranges[2].low, 6);
  EXPECT_EQ(ranges[3].high, 20);
  EXPECT_EQ(ranges[5].low, 30);
}

TEST(ParseMetadata, AlignsAStructLikeItsFieldsOrMore) {
  EXPECT_EQ(ParseType("struct { }")->alignment, 1U);
  EXPECT_EQ(ParseType("struct { bit a; u16 b; }")->alignment, 8U);
  EXPECT_EQ(ParseType("struct { u8 a; } align(64)")->alignment, 64U);
  EXPECT_EQ(ParseType("struct { struct { } align(8) a; }")->alignment, 8U);
}

struct Refusal {
  const char* text;
  const char* why;
};

class ParseMetadataRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(ParseMetadataRefuses, AndSaysWhy) {
  EXPECT_THAT(WhyRefused(std::string(kTrace) + GetParam().text), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Each, ParseMetadataRefuses,
    ::testing::Values(
        Refusal{"\nstream {", "line 2"}, Refusal{"/*", "a comment has no end"},
        Refusal{"env { a = \"b", "a quoted text has no end"},
        Refusal{"env { a = 1; a = 2; };", "given twice"},
        Refusal{"trace { major = 1; minor = 8; byte_order = le; };", "a second trace block"},
        Refusal{"typealias integer { size = 65; } := a;", "size is missing or wrong"},
        Refusal{"typealias integer { size = 8; align = 3; } := a;", "align is wrong"},
        Refusal{"typealias integer { size = 8; colour = 3; } := a;", "colour is not known"},
        Refusal{"typealias integer { size = 8; encoding = latin1; } := a;", "encoding"},
        Refusal{"typealias integer { size = 8; map = what; } := a;", "map"},
        Refusal{"typealias string := a; typealias string := a;", "defined twice"},
        Refusal{"typealias b := a;", "type b is not known"},
        Refusal{"struct { string a; string a; };", "there twice"},
        Refusal{"struct { string a[2][3]; };", "expected ;"},
        Refusal{"struct { string a[99999999999]; };", "size of an array"},
        Refusal{"enum : integer { size = 8; } { a = -1 };", "bound of a range"},
        Refusal{"enum : integer { size = 8; } { a = 5 ... 4 };", "range is not understood"},
        Refusal{"event { name = a; id = 0; stream_id = 7; };", "stream that is not there"},
        Refusal{"stream { id = 0; fancy := struct { }; };", "fancy is not known"},
        Refusal{"stream { id = 0; }; stream { id = 0; };", "there twice"},
        Refusal{"clock { name = a; freq = 0; };", "freq is wrong"},
        Refusal{"clock { name = a; uuid = \"22222222-2222-2222-2222-22222222222@\"; };", "uuid"},
        Refusal{"clock { name = a; uuid = \"2222\"; };", "uuid is wrong"},
        Refusal{"env { a = 99999999999999999999; };", "a number"}));

TEST(ParseMetadata, RefusesOtherByteOrdersAndVersions) {
  EXPECT_THAT(WhyRefused("trace { major = 1; minor = 8; byte_order = be; };"),
              HasSubstr("not little-endian"));
  EXPECT_THAT(WhyRefused("trace { major = 2; minor = 0; byte_order = le; };"), HasSubstr("major"));
  EXPECT_THAT(WhyRefused("env { };"), HasSubstr("no trace block"));
}

TEST(ParseMetadata, DoesNotExhaustTheStack) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "struct { ";
  EXPECT_THAT(WhyRefused(kTrace + deep), HasSubstr("too deep"));
}

TEST(ParseMetadata, RefusesTypesThatGrowWithEachName) {
  std::string text = std::string(kTrace) + "struct t0 { string a; };";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "struct t" + std::to_string(i - 1);
    text += "struct t" + std::to_string(i) + " { " + before + " a; " + before + " b; };";
  }
  EXPECT_THAT(WhyRefused(text), HasSubstr("too large"));
}

TEST(ParseMetadata, RefusesManyEventsOfOneLargeType) {
  std::string text = std::string(kTrace) + "stream { id = 0; }; struct t0 { string a; };";
  for (int i = 1; i < 15; ++i) {
    const std::string before = "struct t" + std::to_string(i - 1);
    text += "struct t" + std::to_string(i) + " { " + before + " a; " + before + " b; };";
  }
  for (int id = 0; id < 100; ++id) {
    text += "event { id = " + std::to_string(id) +
            "; name = e; stream_id = 0; fields := struct t14; };";
  }
  EXPECT_THAT(WhyRefused(text), HasSubstr("the events are too large"));
}

TEST(ParseMetadata, CutOffAnywhereThrowsNothingElse) {
  const std::string text = std::string(kTrace) + R"(
struct s { string a; enum : integer { size = 8; } { x, y = 0x2 } t; variant <t> { string x; } v; };
stream { id = 0; event.context := struct s; };)";
  ParseMetadata(text);
  for (std::size_t size = 0; size < text.size(); ++size) {
    try {
      ParseMetadata(text.substr(0, size));
    } catch (const NotUnderstood&) {
    }
  }
}

}  // namespace
}  // namespace tracekin::ctf
