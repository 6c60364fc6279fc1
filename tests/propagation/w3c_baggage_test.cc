// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/propagation/carriers.h"

namespace tracekin::propagation {
namespace {

struct Case {
  const char* name;
  std::string header;
  Baggage baggage;
};

class W3cBaggage : public testing::TestWithParam<Case> {};

TEST_P(W3cBaggage, IsReadAsFarAsItIsWellFormed) {
  const Extracted extracted = Extract({"baggage"}, Entries{{"Baggage", GetParam().header}});
  EXPECT_FALSE(extracted.error);
  EXPECT_EQ(extracted.found, !GetParam().baggage.empty());
  EXPECT_EQ(extracted.baggage(), GetParam().baggage);
}

const std::string kReplacement = "\xEF\xBF\xBD";

INSTANTIATE_TEST_SUITE_P(
    , W3cBaggage,
    testing::Values(
        Case{"Empty", "", {}}, Case{"OnlyCommas", ", ,\t,", {}},
        Case{"One", "SomeKey=SomeValue", {{"SomeKey", "SomeValue"}}},
        Case{"Several", "a=1,b=2,c=3", {{"a", "1"}, {"b", "2"}, {"c", "3"}}},
        Case{"WhiteSpace", "a \t = \t 1 \t , \t b=2 ", {{"a", "1"}, {"b", "2"}}},
        Case{"PropertiesAreDropped", "a=1;p;q=r , b = 2 ; s = t", {{"a", "1"}, {"b", "2"}}},
        Case{"EmptyValue", "a=,b= ;p", {{"a", ""}, {"b", ""}}},
        Case{"ValueWithEqualsSigns", "a=b=c=", {{"a", "b=c="}}},
        Case{"PercentEncoded",
             "a=%09%20%22%27%3B%3Dasdf%21%40%23%24%25%5E%26%2A%28%29",
             {{"a", "\t \"';=asdf!@#$%^&*()"}}},
        Case{"PlusIsItself", "a=1+1", {{"a", "1+1"}}},
        Case{"Utf8",
             "a=Am%C3%A9lie,b=%F0%9F%98%80",
             {{"a", "Am\xC3\xA9lie"}, {"b", "\xF0\x9F\x98\x80"}}},
        Case{"NotUtf8", "a=%FF%C3x", {{"a", kReplacement + kReplacement + "x"}}},
        Case{"BadEscapeIsText", "a=%zz%", {{"a", "%zz%"}}},
        Case{"EncodedLineEndAndNul", "a=%0D%0A%00", {{"a", "\r\n\xEF\xBF\xBD"}}},
        Case{"KeysAreNotDecoded", "a%20b=1", {{"a%20b", "1"}}},
        Case{"AllTokenChars", "!#$%&'*+-.^_`|~09azAZ=1", {{"!#$%&'*+-.^_`|~09azAZ", "1"}}},
        Case{"KeysDifferInCase", "a=1,A=2", {{"a", "1"}, {"A", "2"}}},
        Case{"FirstOfDuplicatesStays", "a=1,a=2", {{"a", "1"}}},
        Case{"WithoutEqualsSign", "a,b=2", {{"b", "2"}}},
        Case{"EqualsSignInPropertyOnly", "a;p=1,b=2", {{"b", "2"}}},
        Case{"EmptyKey", "=1,b=2", {{"b", "2"}}}, Case{"KeyWithSpace", "a b=1,b=2", {{"b", "2"}}},
        Case{"KeyThatIsNoToken", "a/b=1,(=1,\xC3\xBC=1,b=2", {{"b", "2"}}},
        Case{"ValueWithSpace", "a=1 2,b=2", {{"b", "2"}}},
        Case{"ValueWithQuote", "a=\"1\",b=2", {{"b", "2"}}},
        Case{"ValueWithBackslash", "a=\\,b=2", {{"b", "2"}}},
        Case{"ValueWithRawUtf8", "a=\xC3\xBC,b=2", {{"b", "2"}}},
        Case{"ValueWithLineEnd", "a=1\r\nx: y,b=2", {{"b", "2"}}},
        Case{"ValueWithNul", std::string("a=\0,b=2", 7), {{"b", "2"}}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(W3cBaggageExtract, LinesAreJoinedInOrder) {
  EXPECT_EQ(
      Extract({"baggage"}, Entries{{"baggage", "a=1,b=2"}, {"BAGGAGE", "c=3"}, {"baggage", "a=4"}})
          .baggage(),
      (Baggage{{"a", "1"}, {"b", "2"}, {"c", "3"}}));
}

TEST(W3cBaggageExtract, AloneItIsAContextWithoutIds) {
  const Extracted extracted = Extract({"b3multi", "baggage"}, Entries{{"baggage", "a=1"}});
  EXPECT_TRUE(extracted.found);
  EXPECT_FALSE(extracted.context.has_ids());
  EXPECT_FALSE(extracted.context.has_decision());
}

TEST(W3cBaggageLimits, SixtyFourMembersInOneLineOrInMany) {
  std::string line;
  Entries lines;
  for (int i = 0; i < 100; ++i) {
    const std::string member = "key" + std::to_string(i) + "=value";
    line += (i == 0 ? "" : ",") + member;
    lines.emplace_back("baggage", member);
  }
  const Baggage baggage = Extract({"baggage"}, Entries{{"baggage", line}}).baggage();
  ASSERT_EQ(baggage.size(), 64U);
  EXPECT_EQ(baggage.back().first, "key63");
  EXPECT_EQ(Extract({"baggage"}, lines).baggage(), baggage);
}

TEST(W3cBaggageLimits, Holds8192BytesInOneMember) {
  const std::string header = "a=" + std::string(kMaxBaggageBytes - 2, 'v');
  const Extracted extracted = Extract({"baggage"}, Entries{{"baggage", header}});
  EXPECT_EQ(Inject("baggage", extracted.context), (Entries{{"baggage", header}}));
  EXPECT_FALSE(Extract({"baggage"}, Entries{{"baggage", header + "v"}}).found);
}

TEST(W3cBaggageLimits, MembersBeyond8192BytesAreDroppedWhole) {
  const std::string header = "a=1,b=" + std::string(kMaxBaggageBytes, 'v') + ",c=3";
  TestCarrier carrier{Entries{{"baggage", header}, {"baggage", "d=4"}}};
  EXPECT_EQ(Extract({"baggage"}, carrier).baggage(), (Baggage{{"a", "1"}}));
  carrier.supports_lookup = true;
  EXPECT_EQ(Extract({"baggage"}, carrier).baggage(), (Baggage{{"a", "1"}}));
}

TEST(W3cBaggageInject, WritesNothingWithoutItems) {
  EXPECT_EQ(Inject("baggage", Context{}), Entries{});
  EXPECT_EQ(Inject("baggage", WithExtras(Context{}, {})), Entries{});
}

TEST(W3cBaggageInject, EncodesWhatIsNoBaggageOctet) {
  const Context context = WithExtras(
      Context{}, {{"a", "x y,\";\\%\r\n"}, {"b", "\xC3\xBC"}, {"c", "!#$&'()*-./:<=>?@[]^_`{|}~"}});
  EXPECT_EQ(Inject("baggage", context)[0].second,
            "a=x%20y%2C%22%3B%5C%25%0D%0A,b=%C3%BC,c=!#$&'()*-./:<=>?@[]^_`{|}~");
}

// OpenTelemetry for Python reads '+' as a space.
TEST(W3cBaggageInject, EncodesPlus) {
  const Context context = WithExtras(Context{}, {{"phone", "+49 30"}});
  EXPECT_EQ(Inject("baggage", context), (Entries{{"baggage", "phone=%2B49%2030"}}));
}

TEST(W3cBaggageInject, LeavesOutKeysThatAreNoTokens) {
  const Context context = WithExtras(
      Context{},
      {{"", "1"}, {"a b", "1"}, {"a\r\nx", "1"}, {"a=b", "1"}, {"\xC3\xBC", "1"}, {"ok", "1"}});
  EXPECT_EQ(Inject("baggage", context), (Entries{{"baggage", "ok=1"}}));
}

TEST(W3cBaggageInject, LeavesOutWhatWouldExceed8192BytesOnTheWire) {
  const Context context =
      WithExtras(Context{}, {{"a", "1"}, {"b", std::string(3000, ' ')}, {"c", "3"}});
  EXPECT_EQ(Inject("baggage", context), (Entries{{"baggage", "a=1,c=3"}}));
}

TEST(W3cBaggageInject, WhatWasExtractedIsInjectedAgain) {
  const Entries entries = {
      {"baggage", "userId=alice,serverNode=DF%2028,isProduction=false,q=a=b%2Bc"}};
  EXPECT_EQ(Inject("baggage", Extract({"baggage"}, entries).context), entries);
}

}  // namespace
}  // namespace tracekin::propagation
