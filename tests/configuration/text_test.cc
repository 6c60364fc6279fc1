// SPDX-License-Identifier: Apache-2.0
#include "configuration/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace tracekin::configuration {
namespace {

TEST(IsText, TakesUtf8) {
  EXPECT_TRUE(IsText(""));
  EXPECT_TRUE(IsText("frontend\n"));
  EXPECT_TRUE(IsText("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
}

TEST(IsText, RefusesNulAndWhatIsNoUtf8) {
  EXPECT_FALSE(IsText(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsText("a\xff"));
  EXPECT_FALSE(IsText("\xc3"));              // truncated
  EXPECT_FALSE(IsText("\xc0\xaf"));          // overlong
  EXPECT_FALSE(IsText("\xed\xa0\x80"));      // a surrogate
  EXPECT_FALSE(IsText("\xf4\x90\x80\x80"));  // beyond U+10FFFF
}

TEST(Quoted, ShowsTextOnOneLine) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("caf\xc3\xa9 \"a\\b\""), "\"caf\xc3\xa9 \\\"a\\\\b\\\"\"");
  EXPECT_EQ(Quoted(std::string_view("a\n\0\x01\xff", 5)), R"("a\n�\u0001�")");
  EXPECT_EQ(Quoted("http://me:secret@a"), R"("http://me:***@a")");
}

TEST(Quoted, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Quoted("a\x7f"), R"("a\u007f")");
  EXPECT_EQ(Quoted("\xc2\x9b 2J"), R"("\u009b 2J")");  // CSI of C1
  EXPECT_EQ(Quoted("\xe2\x80\xae txt.exe \xe2\x81\xa6"), R"("\u202e txt.exe \u2066")");  // RLO, LRI
  EXPECT_EQ(Quoted("\xd8\x9c\xe2\x80\xa8"), R"("\u061c\u2028")");
  EXPECT_EQ(Quoted("\xc2\xa0\xe2\x81\xa5"), "\"\xc2\xa0\xe2\x81\xa5\"");  // their neighbours
}

TEST(Quoted, CutsBetweenCharacters) {
  std::string text;
  while (text.size() < 1000) text += "\xe2\x82\xac";
  const std::string quoted = Quoted(text);
  EXPECT_EQ(quoted.size(), 1 + 99 + 1 + 3u);
  EXPECT_EQ(quoted.substr(quoted.size() - 7), "\xe2\x82\xac\"...");
  EXPECT_EQ(Quoted(std::string(100, 'x')), '"' + std::string(100, 'x') + '"');
  EXPECT_EQ(Quoted(std::string(101, 'x')), '"' + std::string(100, 'x') + "\"...");
  EXPECT_EQ(Quoted(std::string(1000, '\x01')).size(), 1 + 600 + 1 + 3u);
}

TEST(Decimal, WritesNumbersWithoutExponent) {
  EXPECT_EQ(Decimal(std::uint64_t{18446744073709551615u}), "18446744073709551615");
  EXPECT_EQ(Decimal(0.1), "0.1");
  EXPECT_EQ(Decimal(1e6), "1000000");
  EXPECT_EQ(Decimal(std::numeric_limits<double>::max()).size(), 309u);
  EXPECT_EQ(Decimal(-std::numeric_limits<double>::denorm_min()).substr(0, 4), "-0.0");
}

}  // namespace
}  // namespace tracekin::configuration
