// SPDX-License-Identifier: Apache-2.0
#include "propagation/percent.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/utf8.h"

namespace tracekin::propagation {
namespace {

constexpr CharSet kLiteral = CharSet::Alphanumeric("-");
const std::string kReplacement = "\xEF\xBF\xBD";

std::string Encode(std::string_view text) {
  std::string encoded;
  AppendPercentEncoded(text, kLiteral, &encoded);
  return encoded;
}

TEST(Percent, EncodesWhatIsNotLiteral) {
  EXPECT_EQ(Encode("aZ-9"), "aZ-9");
  EXPECT_EQ(Encode(std::string_view("\0\r\n %", 5)), "%00%0D%0A%20%25");
  EXPECT_EQ(Encode("\xC3\xBC"), "%C3%BC");
}

TEST(Percent, DecodesEitherCaseOfDigits) {
  EXPECT_EQ(PercentDecode("%c3%BC", Plus::kItself), "\xC3\xBC");
}

TEST(Percent, PlusIsASpaceOnlyWhereItIsSaidToBe) {
  EXPECT_EQ(PercentDecode("a+b%2B", Plus::kItself), "a+b+");
  EXPECT_EQ(PercentDecode("a+b%2B", Plus::kSpace), "a b+");
}

TEST(Percent, PercentSignWithoutTwoDigitsIsItself) {
  EXPECT_EQ(PercentDecode("100%", Plus::kItself), "100%");
  EXPECT_EQ(PercentDecode("%4", Plus::kItself), "%4");
  EXPECT_EQ(PercentDecode("%zz%4x%41", Plus::kItself), "%zz%4xA");
}

TEST(Percent, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  EXPECT_EQ(PercentDecode("a%FFb", Plus::kItself), "a" + kReplacement + "b");
}

TEST(Percent, DecodingWhatWasEncodedGivesTheSameText) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (unsigned n = random() % 40; n != 0; --n) {
      text.push_back(static_cast<char>(1 + random() % 127));
    }
    ASSERT_EQ(PercentDecode(Encode(text), Plus::kItself), text);
    ASSERT_EQ(PercentDecode(Encode(text), Plus::kSpace), text);
  }
}

}  // namespace
}  // namespace tracekin::propagation
