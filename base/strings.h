// SPDX-License-Identifier: Apache-2.0
// What the standard library of C++17 lacks for strings.
//
// Thread-safety: functions of their arguments. They throw std::bad_alloc.
#ifndef TRACEKIN_BASE_STRINGS_H
#define TRACEKIN_BASE_STRINGS_H

#include <string>
#include <string_view>

namespace tracekin {

constexpr bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The strings of `strings` with `separator` between them.
template <typename Strings>
std::string Joined(const Strings& strings, std::string_view separator) {
  std::string joined;
  bool first = true;
  for (const auto& string : strings) {
    joined.append(first ? "" : separator).append(string);
    first = false;
  }
  return joined;
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_STRINGS_H
