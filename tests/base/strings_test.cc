// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <gtest/gtest.h>

#include <vector>

namespace tracekin {
namespace {

TEST(EndsWith, ComparesTheEnd) {
  EXPECT_TRUE(EndsWith("a.lock", ".lock"));
  EXPECT_TRUE(EndsWith("a", ""));
  EXPECT_FALSE(EndsWith("lock", ".lock"));
  EXPECT_FALSE(EndsWith("a.lock2", ".lock"));
}

TEST(Joined, PutsTheSeparatorBetween) {
  EXPECT_EQ(Joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(Joined(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(Joined(std::vector<std::string_view>{"", "b", ""}, ","), ",b,");
}

}  // namespace
}  // namespace tracekin
