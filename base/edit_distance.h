// SPDX-License-Identifier: Apache-2.0
// Compares strings, for messages that suggest the name that the user may have meant.
//
// Thread-safety: the function is pure. Any thread may call it.
#ifndef TRACEKIN_BASE_EDIT_DISTANCE_H
#define TRACEKIN_BASE_EDIT_DISTANCE_H

#include <cstddef>
#include <string_view>

namespace tracekin {

/// Returns the Levenshtein distance of two strings: the smallest number of bytes to insert, delete
/// or replace that turns one into the other. Needs time in proportion to the product of their
/// lengths. Throws std::bad_alloc.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_EDIT_DISTANCE_H
