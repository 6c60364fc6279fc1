// SPDX-License-Identifier: Apache-2.0
// Turns a message of a collector, a library or an exception into one line that a log can show.
//
// Thread-safety: the function is pure. Any thread may call it.
#ifndef TRACEKIN_BASE_ONE_LINE_H
#define TRACEKIN_BASE_ONE_LINE_H

#include <string>
#include <string_view>

namespace tracekin {

/// Returns at most 256 bytes from the beginning of `text` as valid UTF-8. Replaces each sequence of
/// white space, control characters, line separators and characters that change the direction of
/// writing with a single space. Throws std::bad_alloc.
std::string OneLine(std::string_view text);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_ONE_LINE_H
