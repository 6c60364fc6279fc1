// SPDX-License-Identifier: Apache-2.0
// Reads JSON configurations for ParseConfiguration, and distinguishes the two kinds of failure that
// a plugin must report as different errors.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CONFIGURATION_JSON_H
#define TRACEKIN_CONFIGURATION_JSON_H

#include <string>
#include <string_view>

#include "tracekin/options.h"

namespace tracekin::configuration {

enum class ConfigurationStatus {
  kOk,
  kMalformed,  // not a JSON object
  kInvalid,    // a JSON object, but not one that configures a tracer
};

/// Same as ParseConfiguration(), but also returns the kind of failure.
ConfigurationStatus ReadConfiguration(std::string_view json, Options* options, std::string* error);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_JSON_H
