// SPDX-License-Identifier: Apache-2.0
// Somebody else's words as one line that a log can show: a collector's, a library's, an exception's.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_BASE_ONE_LINE_H
#define TRACEKIN_BASE_ONE_LINE_H

#include <string>
#include <string_view>

namespace tracekin {

/// Returns the first 256 bytes, at most, of `text` as valid UTF-8. A single space replaces each run
/// of white space, control characters, line separators and characters that change the direction of
/// writing. Throws std::bad_alloc.
std::string OneLine(std::string_view text);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_ONE_LINE_H
