// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tracekin {
namespace {

// Values from RFC 3720, appendix B.4.
TEST(Crc32c, IsThatOfTheStandard) {
  std::string rising, falling;
  for (int i = 0; i < 32; ++i) rising.push_back(static_cast<char>(i));
  for (int i = 31; i >= 0; --i) falling.push_back(static_cast<char>(i));
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  EXPECT_EQ(Crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(Crc32c(falling), 0x113FDB5CU);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(""), 0U);
}

TEST(Crc32c, GoesOnWhereverItWasDivided) {
  std::mt19937 random(1);
  std::string text(100, '\0');
  for (char& c : text) c = static_cast<char>(random());
  const std::string_view whole = text;
  for (std::size_t at = 0; at <= whole.size(); ++at) {
    EXPECT_EQ(Crc32c(whole.substr(at), Crc32c(whole.substr(0, at))), Crc32c(whole)) << at;
  }
}

}  // namespace
}  // namespace tracekin
