// SPDX-License-Identifier: Apache-2.0
// Suggests the key that an operator may have meant.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CONFIGURATION_NEAREST_KEY_H
#define TRACEKIN_CONFIGURATION_NEAREST_KEY_H

#include <string>
#include <string_view>

namespace tracekin::configuration {

/// Returns the path of the setting, or the name of the group, that is most similar to `path`, or ""
/// if none is similar. Similarity is the number of characters to insert, delete or replace. A key
/// in the wrong group and the beginning of a key also count as similar.
std::string NearestKey(std::string_view path);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_NEAREST_KEY_H
