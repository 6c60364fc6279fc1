// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

namespace tracekin {

namespace {

// This limit is larger than any exponent that the digits of a string in memory could compensate,
// and far from overflow.
constexpr std::int64_t kMaxExponent = std::numeric_limits<std::int64_t>::max() / 4;

// Returns the exponent in `text`, which begins after the 'e'.
std::int64_t Exponent(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t exponent = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec != std::errc{}) {
    exponent = text.front() == '-' ? -kMaxExponent : kMaxExponent;
  }
  return std::clamp(exponent, -kMaxExponent, kMaxExponent);
}

// Returns whether `number` is too small for a double, given that it is out of range. Examines the
// position of its first non-zero digit, because no double can represent it.
bool IsSmall(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
  const std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return place + (e < number.size() ? Exponent(number.substr(e + 1)) : 0) <= 0;
}

}  // namespace

std::optional<double> ParseDouble(std::string_view text) noexcept {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (stop != end || status == std::errc::invalid_argument) return std::nullopt;
  if (status == std::errc{}) return number;
  return std::copysign(IsSmall(text) ? 0 : std::numeric_limits<double>::infinity(),
                       text.front() == '-' ? -1 : 1);
}

}  // namespace tracekin
