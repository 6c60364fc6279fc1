// SPDX-License-Identifier: Apache-2.0
// Numbers in text from outside.
//
// Thread-safety: functions of their arguments, whatever locale the host has set.
#ifndef TRACEKIN_BASE_NUMBER_H
#define TRACEKIN_BASE_NUMBER_H

#include <optional>
#include <string_view>

namespace tracekin {

/// The double nearest to the decimal number that `text` is, all of it, in the syntax of
/// std::from_chars: also "inf" and "nan". A number too large for a double is an infinity, one too
/// small a zero, of its sign.
std::optional<double> ParseDouble(std::string_view text) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_NUMBER_H
