// SPDX-License-Identifier: Apache-2.0
// Makes text from other programs safe to print on a terminal.
//
// Thread-safety: the function is pure. Any thread may call it.
#ifndef TRACEKIN_BASE_TERMINAL_H
#define TRACEKIN_BASE_TERMINAL_H

#include <string>
#include <string_view>

namespace tracekin {

/// Returns `text` with dangerous bytes written as \xNN. These are the bytes that could control the
/// terminal or hide the text next to them: control characters of ASCII and Unicode, marks that
/// change the direction of writing, and bytes that are not valid UTF-8. Doubles each backslash.
/// This is needed because every traced process chooses its own name and the names of its events.
std::string ForTerminal(std::string_view text);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_TERMINAL_H
