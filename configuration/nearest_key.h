// SPDX-License-Identifier: Apache-2.0
// Which key an operator may have meant.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_CONFIGURATION_NEAREST_KEY_H
#define TRACEKIN_CONFIGURATION_NEAREST_KEY_H

#include <string>
#include <string_view>

namespace tracekin {

/// The path of the setting, or the name of the group, that is nearest to `path` by the number of
/// characters to insert, delete or replace; a key in the wrong group and the beginning of a key
/// count as near. Empty if none resembles it.
std::string NearestKey(std::string_view path);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_NEAREST_KEY_H
