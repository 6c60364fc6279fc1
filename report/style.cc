// SPDX-License-Identifier: Apache-2.0
#include "report/style.h"

namespace tracekin::report {

std::string Tinted(std::string text, Tint tint, const Style& style) {
  static constexpr const char* kCodes[] = {"", "1", "32", "33", "31", "2"};
  if (!style.color || tint == Tint::kNone || text.empty()) return text;
  return std::string("\x1b[") + kCodes[static_cast<std::size_t>(tint)] + 'm' + std::move(text) +
         "\x1b[0m";
}

}  // namespace tracekin::report
