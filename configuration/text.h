// SPDX-License-Identifier: Apache-2.0
// Checks text that an operator wrote, and formats it for messages.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CONFIGURATION_TEXT_H
#define TRACEKIN_CONFIGURATION_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tracekin::configuration {

/// Returns whether `text` is valid UTF-8 without NUL, at which C interfaces would cut it.
bool IsText(std::string_view text);

/// Returns `text` as a JSON string on one line, for a message. Replaces invalid UTF-8 by U+FFFD,
/// escapes ASCII and Unicode control characters, masks the password of a URL, and cuts the string
/// after 100 bytes.
std::string Quoted(std::string_view text);

/// Returns `number` in decimal without an exponent, regardless of the host's locale.
std::string Decimal(std::uint64_t number);
std::string Decimal(double number);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_TEXT_H
