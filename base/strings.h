// SPDX-License-Identifier: Apache-2.0
// String functions that the standard library of C++17 does not have.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_BASE_STRINGS_H
#define TRACEKIN_BASE_STRINGS_H

#include <string>
#include <string_view>

namespace tracekin {

/// Returns whether `text` ends with `end`.
constexpr bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Returns the concatenation of `strings` with `separator` between them. Throws std::bad_alloc.
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
