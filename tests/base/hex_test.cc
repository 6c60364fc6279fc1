// SPDX-License-Identifier: Apache-2.0
#include "base/hex.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace tracekin {
namespace {

std::string Encode(std::uint64_t value) {
  char digits[16];
  return {digits, static_cast<std::size_t>(EncodeHex(value, digits) - digits)};
}

TEST(Hex, EncodesAsPrintfDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t value = random() >> (i % 64);
    char expected[17];
    std::snprintf(expected, sizeof expected, "%016" PRIx64, value);
    ASSERT_EQ(Encode(value), expected);
  }
}

TEST(Hex, DecodesWhatItEncodesAtEveryLength) {
  std::mt19937_64 random(2);
  for (std::size_t length = 1; length <= 16; ++length) {
    for (int i = 0; i < 1000; ++i) {
      const std::string digits = Encode(random()).substr(16 - length);
      std::uint64_t value = 0;
      ASSERT_TRUE(DecodeHex(digits, &value)) << digits;
      ASSERT_EQ(value, std::strtoull(digits.c_str(), nullptr, 16)) << digits;
    }
  }
}

TEST(Hex, EveryByteAtEveryPositionIsADigitOrRefused) {
  for (std::size_t position = 0; position < 16; ++position) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string digits(16, '5');
      digits[position] = static_cast<char>(byte);
      const bool is_digit = byte < 128 && std::isxdigit(byte) != 0;
      const bool is_upper = byte < 128 && std::isupper(byte) != 0;
      std::uint64_t value = 42;
      ASSERT_EQ(DecodeHex(digits, &value), is_digit && !is_upper) << position << ' ' << byte;
      ASSERT_EQ(value, is_digit && !is_upper ? std::strtoull(digits.c_str(), nullptr, 16) : 42);
      value = 42;
      ASSERT_EQ(DecodeHex<HexCase::kAny>(digits, &value), is_digit) << position << ' ' << byte;
      ASSERT_EQ(value, is_digit ? std::strtoull(digits.c_str(), nullptr, 16) : 42);
    }
  }
}

TEST(Hex, NoDigitsAndTooManyAreRefused) {
  std::uint64_t value = 42;
  EXPECT_FALSE(DecodeHex("", &value));
  EXPECT_FALSE(DecodeHex("00000000000000001", &value));
  EXPECT_EQ(value, 42U);
}

TEST(Hex, TraceIdIsAsLongAsItNeeds) {
  char digits[32];
  EXPECT_EQ(EncodeTraceId(0, 0xab, digits) - digits, 16);
  EXPECT_EQ(std::string(digits, 16), "00000000000000ab");
  EXPECT_EQ(EncodeTraceId(1, 0xab, digits) - digits, 32);
  EXPECT_EQ(std::string(digits, 32), "000000000000000100000000000000ab");
}

TEST(Hex, TraceIdsHaveOneToThirtyTwoDigitsAndAreNotZero) {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  ASSERT_TRUE(DecodeTraceId("1", &high, &low));
  EXPECT_EQ(high, 0U);
  EXPECT_EQ(low, 1U);
  ASSERT_TRUE(DecodeTraceId("a0000000000000002", &high, &low));
  EXPECT_EQ(high, 0xaU);
  EXPECT_EQ(low, 2U);
  ASSERT_TRUE(DecodeTraceId("00000000000000010000000000000000", &high, &low));
  EXPECT_EQ(high, 1U);
  EXPECT_EQ(low, 0U);
  EXPECT_FALSE(DecodeTraceId("", &high, &low));
  EXPECT_FALSE(DecodeTraceId("0", &high, &low));
  EXPECT_FALSE(DecodeTraceId(std::string(32, '0'), &high, &low));
  EXPECT_FALSE(DecodeTraceId(std::string(33, '1'), &high, &low));
  EXPECT_FALSE(DecodeTraceId(std::string(100000, '1'), &high, &low));
}

}  // namespace
}  // namespace tracekin
