// SPDX-License-Identifier: Apache-2.0
// Text that an operator wrote: whether it can be used, and how it is shown in a message.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_CONFIGURATION_TEXT_H
#define TRACEKIN_CONFIGURATION_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tracekin {

/// Whether `text` is UTF-8 without NUL, which the C interfaces behind us would cut it at.
bool IsText(std::string_view text);

/// `text` as a JSON string, for a message: on one line, what is not text replaced by U+FFFD, controls
/// of ASCII and of Unicode escaped, a password in a URL masked, and cut after 100 bytes.
std::string Quoted(std::string_view text);

/// `number` in decimal without an exponent, whatever locale the host has set.
std::string Decimal(std::uint64_t number);
std::string Decimal(double number);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_TEXT_H
