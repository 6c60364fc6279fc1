// SPDX-License-Identifier: Apache-2.0
// Parses numbers in untrusted text.
//
// Thread-safety: the functions use only their arguments, regardless of the host's locale.
#ifndef TRACEKIN_BASE_NUMBER_H
#define TRACEKIN_BASE_NUMBER_H

#include <optional>
#include <string_view>

namespace tracekin {

/// Parses all of `text` as a decimal number in the syntax of std::from_chars, including "inf" and
/// "nan", and returns the nearest double. Returns an infinity with the number's sign if the number
/// is too large, and a zero with its sign if it is too small.
std::optional<double> ParseDouble(std::string_view text) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_NUMBER_H
