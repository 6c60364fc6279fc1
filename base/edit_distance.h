// SPDX-License-Identifier: Apache-2.0
// How far two texts are apart, for messages that say which name the user may have meant.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_BASE_EDIT_DISTANCE_H
#define TRACEKIN_BASE_EDIT_DISTANCE_H

#include <cstddef>
#include <string_view>

namespace tracekin {

/// Levenshtein's distance of two texts: the fewest bytes to insert, delete or replace that turn one
/// into the other. Takes time in proportion to the product of their lengths.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_EDIT_DISTANCE_H
