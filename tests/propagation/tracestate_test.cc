// SPDX-License-Identifier: Apache-2.0
#include "propagation/tracestate.h"

#include <gtest/gtest.h>

#include <string>

#include "propagation/context.h"

namespace tracekin::propagation {
namespace {

struct Case {
  const char* name;
  std::string list;
  std::string result;
};

class Tracestate : public testing::TestWithParam<Case> {};

TEST_P(Tracestate, IsKept) {
  std::string result = "before";
  EXPECT_TRUE(ParseTracestate(GetParam().list, &result));
  EXPECT_EQ(result, GetParam().result);
}

std::string All(char first, char last) {
  std::string characters;
  for (int c = first; c <= last; ++c) characters.push_back(static_cast<char>(c));
  return characters;
}

const std::string kAllKeyChars = All('a', 'z') + "0123456789_-*/@";
const std::string kAllValueChars = All(' ', '+') + All('-', '<') + All('>', '~');

INSTANTIATE_TEST_SUITE_P(
    , Tracestate,
    testing::Values(
        Case{"Empty", "", ""}, Case{"OnlyCommas", " ,\t,", ""}, Case{"One", "foo=1", "foo=1"},
        Case{"EmptyMembers", ",foo=1,, ,bar=2,", "foo=1,bar=2"},
        Case{"WhiteSpace", "foo=1 \t , \t bar=2, \t baz=3", "foo=1,bar=2,baz=3"},
        Case{"WhiteSpaceAround", "\t foo=1 \t", "foo=1"},
        Case{"SpacesBeforeAValueBelongToIt", "foo=  1", "foo=  1"},
        Case{"AllCharacters", kAllKeyChars + "=" + kAllValueChars,
             kAllKeyChars + "=" + kAllValueChars},
        Case{"DigitFirst", "1foo=1", "1foo=1"},
        Case{"Key256", std::string(256, 'z') + "=1", std::string(256, 'z') + "=1"},
        // Level 1 allowed one '@' with a name on both sides of it, and Level 2 allows it anywhere
        // except at the beginning.
        Case{"TenantDigitFirst", "1foo@bar=1", "1foo@bar=1"},
        Case{"AtWithoutSystem", "foo@=1,bar=2", "foo@=1,bar=2"},
        Case{"AtTwice", "foo@@bar=1,foo@bar@baz=2", "foo@@bar=1,foo@bar@baz=2"},
        Case{"SystemDigitFirst", "foo@1bar=1", "foo@1bar=1"},
        Case{"LongTenant", std::string(242, 't') + "@v=1", std::string(242, 't') + "@v=1"},
        Case{"LongSystem", "t@" + std::string(15, 'v') + "=1", "t@" + std::string(15, 'v') + "=1"},
        Case{"EqualMembers", "foo=1,foo=1", "foo=1"},
        Case{"FirstOfOneKey", "foo=1,bar=2,foo=3,bar=4", "foo=1,bar=2"},
        Case{"Value256", "foo=" + std::string(256, 'v'), "foo=" + std::string(256, 'v')}),
    [](const auto& test) { return std::string(test.param.name); });

class TracestateMalformed : public testing::TestWithParam<std::string> {};

TEST_P(TracestateMalformed, IsRefusedWhole) {
  std::string result = "before";
  EXPECT_FALSE(ParseTracestate(GetParam(), &result));
  EXPECT_EQ(result, "before");
  EXPECT_FALSE(ParseTracestate("fine=1," + GetParam(), &result));
}

INSTANTIATE_TEST_SUITE_P(
    , TracestateMalformed,
    testing::Values("foo", "foo=", "=", "=1", "foo =1", "FOO=1", "foo.bar=1", "@foo=1,bar=2",
                    "foo@Bar=1", "-foo=1", "foo=bar=baz", "foo=,bar=3", "foo=1,foo=", "f\xC3\xBC=1",
                    "foo=\xC3\xBC", "foo=a\tb", "foo=\x7F", "foo=1\n", std::string("foo=a\0b", 7),
                    std::string(257, 'z') + "=1", std::string(255, 't') + "@v=1",
                    "foo=" + std::string(257, 'v'), "a=1," + std::string(1 << 20, ',')));

TEST(TracestateLimits, ThirtyTwoMembersButNotOneMore) {
  std::string list;
  for (int i = 0; i < 32; ++i) list += "k" + std::to_string(i) + "=1,,";
  std::string result;
  EXPECT_TRUE(ParseTracestate(list, &result));
  EXPECT_FALSE(ParseTracestate(list + "k32=1", &result));
  EXPECT_FALSE(ParseTracestate(list + "k0=1", &result));  // a repeated key counts as well
}

}  // namespace
}  // namespace tracekin::propagation
