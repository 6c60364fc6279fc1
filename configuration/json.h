// SPDX-License-Identifier: Apache-2.0
// The JSON reader of ParseConfiguration, which also tells the two kinds of failure apart that a
// plugin has to report as different errors.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_CONFIGURATION_JSON_H
#define TRACEKIN_CONFIGURATION_JSON_H

#include <string>
#include <string_view>

#include "tracekin/options.h"

namespace tracekin {

enum class ConfigurationStatus {
  kOk,
  kMalformed,  // no JSON object
  kInvalid,    // a JSON object, but not one that configures a tracer
};

/// ParseConfiguration() with more of an answer.
ConfigurationStatus ReadConfiguration(std::string_view json, Options* options, std::string* error);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_JSON_H
