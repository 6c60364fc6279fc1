// SPDX-License-Identifier: Apache-2.0
#include "base/terminal.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tracekin {
namespace {

TEST(ForTerminal, LeavesTextAlone) {
  for (const char* text : {"", "server", "a b~!", "k\xc3\xa4se", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xf4\x8f\xbf\xbd"}) {
    EXPECT_EQ(ForTerminal(text), text);
  }
}

TEST(ForTerminal, LetsNothingThroughThatCommandsATerminalOrHidesText) {
  struct Case {
    std::string_view text;
    const char* shown;
  };
  const Case cases[] = {
      {"\x1b[31mHI\x1b]0;P\x07", R"(\x1b[31mHI\x1b]0;P\x07)"},
      {"a\r\nb\tc\x7f", R"(a\x0d\x0ab\x09c\x7f)"},
      {std::string_view("\0", 1), R"(\x00)"},
      {"\xc2\x9b"
       "31m",
       R"(\xc2\x9b31m)"},  // CSI, as one character
      {"\x9b"
       "31m",
       R"(\x9b31m)"},  // CSI as one byte
      {"a\xe2\x80\xae"
       "b",
       R"(a\xe2\x80\xaeb)"},                        // right-to-left override
      {"\xe2\x81\xa6", R"(\xe2\x81\xa6)"},          // isolate
      {"\xd8\x9c", R"(\xd8\x9c)"},                  // Arabic letter mark
      {"\xe2\x80\xa8", R"(\xe2\x80\xa8)"},          // line separator
      {"\xf3\xa0\x80\xa1", R"(\xf3\xa0\x80\xa1)"},  // tag
      {"\\x1b", R"(\\x1b)"},                        // not an escape
      {"\xe2\x82", R"(\xe2\x82)"},                  // a name that LTTng cut
      {"\xc0\xaf", R"(\xc0\xaf)"},                  // overlong
      {"\xed\xa0\x80", R"(\xed\xa0\x80)"},          // surrogate
      {"\xf4\x90\x80\x80", R"(\xf4\x90\x80\x80)"},  // above U+10FFFF
      {"\xff", R"(\xff)"},
  };
  for (const Case& c : cases) EXPECT_EQ(ForTerminal(c.text), c.shown);
}

}  // namespace
}  // namespace tracekin
