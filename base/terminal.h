// SPDX-License-Identifier: Apache-2.0
// Text of others on its way to a terminal.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_BASE_TERMINAL_H
#define TRACEKIN_BASE_TERMINAL_H

#include <string>
#include <string_view>

namespace tracekin {

/// `text` with each byte as \xNN that could command a terminal or hide what stands beside it:
/// control characters of ASCII and of Unicode, marks that turn the direction of writing, and what
/// is not UTF-8. A backslash becomes two. Any process that is traced chooses its name, and its
/// events' names.
std::string ForTerminal(std::string_view text);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_TERMINAL_H
