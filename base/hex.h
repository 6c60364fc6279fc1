// SPDX-License-Identifier: Apache-2.0
// Converts ids to and from hexadecimal digits, most significant digit first. Eight digits at a time
// are processed in a 64-bit word, without branches or tables.
#ifndef TRACEKIN_BASE_HEX_H
#define TRACEKIN_BASE_HEX_H

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tracekin {

namespace hex_internal {

constexpr std::uint64_t kEachByte = 0x0101010101010101;

// Returns the digits of eight nibbles, one per byte.
constexpr std::uint64_t DigitsOf(std::uint64_t nibbles) {
  const std::uint64_t letters = (nibbles + kEachByte * 6) >> 4 & kEachByte;
  return nibbles + kEachByte * '0' + letters * ('a' - '0' - 10);
}

inline void EncodeWord(std::uint32_t value, char* out) {
  std::uint64_t nibbles = value;
  nibbles = (nibbles | nibbles << 16) & 0x0000FFFF0000FFFF;
  nibbles = (nibbles | nibbles << 8) & 0x00FF00FF00FF00FF;
  nibbles = (nibbles | nibbles << 4) & 0x0F0F0F0F0F0F0F0F;
  const std::uint64_t digits = htobe64(DigitsOf(nibbles));
  std::memcpy(out, &digits, sizeof digits);
}

// Returns the value of eight digits. Sets bits of `bad` if any of them is not a digit.
inline std::uint64_t DecodeWord(std::uint64_t digits, std::uint64_t* bad) {
  // The low nibble of a letter is 1 to 6, and bit 6 distinguishes a letter from a digit. Any other
  // character yields more than a nibble or the digit of a different byte.
  std::uint64_t nibbles = (digits & kEachByte * 0x0F) + (digits >> 6 & kEachByte) * 9;
  *bad |= (nibbles & kEachByte * 0xF0) | (DigitsOf(nibbles) ^ digits);
  nibbles = (nibbles | nibbles >> 4) & 0x00FF00FF00FF00FF;
  nibbles = (nibbles | nibbles >> 8) & 0x0000FFFF0000FFFF;
  return (nibbles | nibbles >> 16) & 0xFFFFFFFF;
}

// Loads eight characters. If `any_case`, converts letters to lower case by setting bit 5 of every
// character with bit 6. This does not turn any other character into a digit.
inline std::uint64_t LoadWord(const char* text, bool any_case) {
  std::uint64_t bytes;
  std::memcpy(&bytes, text, sizeof bytes);
  bytes = be64toh(bytes);
  return any_case ? bytes | (bytes & kEachByte * 0x40) >> 1 : bytes;
}

// Same as DecodeHex for exactly 16 digits.
inline bool Decode16(const char* text, bool any_case, std::uint64_t* value) {
  std::uint64_t bad = 0;
  const std::uint64_t high = DecodeWord(LoadWord(text, any_case), &bad);
  const std::uint64_t low = DecodeWord(LoadWord(text + 8, any_case), &bad);
  if (bad != 0) return false;
  *value = high << 32 | low;
  return true;
}

}  // namespace hex_internal

/// The letters that are accepted as digits.
enum class HexCase { kLower, kAny };

/// Writes the 16 lower-case digits of `value` to `out` and returns their end.
inline char* EncodeHex(std::uint64_t value, char* out) {
  hex_internal::EncodeWord(static_cast<std::uint32_t>(value >> 32), out);
  hex_internal::EncodeWord(static_cast<std::uint32_t>(value), out + 8);
  return out + 16;
}

/// Writes a trace id to `out` and returns its end: 16 digits if `high` is zero, otherwise 32.
inline char* EncodeTraceId(std::uint64_t high, std::uint64_t low, char* out) {
  if (high != 0) out = EncodeHex(high, out);
  return EncodeHex(low, out);
}

/// Reads 1 to 16 digits. Returns false, without changing `value`, if `digits` is anything else.
template <HexCase letters = HexCase::kLower>
bool DecodeHex(std::string_view digits, std::uint64_t* value) {
  constexpr bool any_case = letters == HexCase::kAny;
  if (digits.size() == 16) return hex_internal::Decode16(digits.data(), any_case, value);
  if (digits.empty() || digits.size() > 16) return false;
  char padded[16];
  std::memset(padded, '0', sizeof padded);
  std::memcpy(padded + sizeof padded - digits.size(), digits.data(), digits.size());
  return hex_internal::Decode16(padded, any_case, value);
}

/// Reads a trace id of 1 to 32 digits that is not zero. Returns false if `digits` is anything else.
/// Then `high` and `low` are unspecified.
template <HexCase letters = HexCase::kLower>
bool DecodeTraceId(std::string_view digits, std::uint64_t* high, std::uint64_t* low) {
  *high = 0;
  const std::size_t high_digits = digits.size() > 16 ? digits.size() - 16 : 0;
  if (high_digits != 0 && !DecodeHex<letters>(digits.substr(0, high_digits), high)) return false;
  return DecodeHex<letters>(digits.substr(high_digits), low) && (*high | *low) != 0;
}

/// Reads a span id of 1 to 16 digits that is not zero. Returns false if `digits` is anything else.
template <HexCase letters = HexCase::kLower>
bool DecodeSpanId(std::string_view digits, std::uint64_t* id) {
  return DecodeHex<letters>(digits, id) && *id != 0;
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_HEX_H
