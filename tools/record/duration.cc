// SPDX-License-Identifier: Apache-2.0
#include "tools/record/duration.h"

#include <algorithm>

#include "base/number.h"

namespace tracekin::record {

namespace {

constexpr double kLongestS = 1e9;  // 31 years

struct Unit {
  std::string_view name;
  double seconds;
};

constexpr Unit kUnits[] = {{"", 1},   {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
                           {"m", 60}, {"h", 3600},  {"d", 86400}};

}  // namespace

std::optional<double> ParseDuration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view name = text.substr(digits);
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const std::optional<double> number = ParseDouble(text.substr(0, digits));
    if (!number.has_value()) return std::nullopt;
    const double seconds = *number * unit.seconds;
    if (seconds > 0 && seconds <= kLongestS) return seconds;
  }
  return std::nullopt;
}

}  // namespace tracekin::record
