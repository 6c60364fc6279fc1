// SPDX-License-Identifier: Apache-2.0
// Finds environment variables that an operator may have misspelt.
//
// Thread-safety: any thread, as long as no other thread changes the environment.
#ifndef TRACEKIN_CONFIGURATION_ENVIRONMENT_H
#define TRACEKIN_CONFIGURATION_ENVIRONMENT_H

#include <string>
#include <string_view>
#include <vector>

namespace tracekin::configuration {

/// Returns the variable of a setting that `name` may have meant, or "" if none is similar.
std::string NearestVariable(std::string_view name);

/// Returns a warning for each variable that begins with TRACEKIN_ and is not a setting's, if it is
/// similar to one or begins like those of a group, such as TRACEKIN_EXPORTER_. Other programs may
/// use other names. Returns nothing in a set-user-ID program. Throws std::bad_alloc.
std::vector<std::string> UnknownVariables();

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_ENVIRONMENT_H
