// SPDX-License-Identifier: Apache-2.0
// Reads a configuration from a file, in the way in which a host's plugin applies it.
//
// Thread-safety: any thread, as long as no other thread changes the environment.
#ifndef TRACEKIN_CONFIGURATION_FILE_H
#define TRACEKIN_CONFIGURATION_FILE_H

#include <string>

#include "tracekin/options.h"

namespace tracekin::configuration {

/// Reads the JSON in the file, applies the environment and validates the result. Returns an error
/// message that names the file, or "". Throws std::bad_alloc.
std::string ReadConfigurationFile(const std::string& path, Options* options);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_FILE_H
