// SPDX-License-Identifier: Apache-2.0
// Fills Options from JSON and from the environment, and prints them.
//
// The keys of the JSON object are the names of the fields of Options, with the same nesting:
//
//   { "service_name": "frontend",
//     "exporter": {"endpoint": "http://127.0.0.1:9411/api/v2/spans"} }
//
// Thread-safety: any thread may call these functions at any time, as long as no other thread
// changes the environment or the Options at that moment.
// Errors: a function that fails returns false, leaves `options` unchanged and puts one line into
// `error`. The line names the key (or the variable), the value and what is allowed. It never
// repeats a password from a URL. The functions throw nothing except std::bad_alloc.
#ifndef TRACEKIN_CONFIGURATION_H
#define TRACEKIN_CONFIGURATION_H

#include <string>
#include <string_view>

#include "tracekin/export.h"
#include "tracekin/options.h"

namespace tracekin {

/// Sets the fields of `options` that the JSON object `json` (RFC 8259, UTF-8, at most 1 MiB) names.
/// Replaces a list or a map as a whole, and leaves the other fields unchanged. Fails on malformed
/// JSON (reporting line and column), an unknown key (suggesting the nearest known one), a duplicate
/// key, a wrong type, null, or a value out of range.
[[nodiscard]] TRACEKIN_API bool ParseConfiguration(std::string_view json, Options* options,
                                                   std::string* error);

/// Same as ParseConfiguration, but reads the JSON from the file `path`. Never blocks, because
/// anything other than a regular file, such as a FIFO, is an error.
[[nodiscard]] TRACEKIN_API bool ParseConfigurationFile(const std::string& path, Options* options,
                                                       std::string* error);

/// Sets the fields whose environment variable is set. Its name is TRACEKIN_ and the key's path in
/// capitals, joined by underscores (exporter.endpoint: TRACEKIN_EXPORTER_ENDPOINT). Booleans are
/// true, false, 1 or 0. The items of a list are separated by commas. A map is written
/// key=value,key=value. An empty variable counts as unset, and so does every variable in a
/// set-user-ID program.
[[nodiscard]] TRACEKIN_API bool ApplyEnvironment(Options* options, std::string* error);

/// Checks every field like the two functions above. Also checks the fields together: the service
/// must have a name, and spans must have a destination. MakeTracer calls this function.
[[nodiscard]] TRACEKIN_API bool ValidateOptions(const Options& options, std::string* error);

/// Returns the options as a JSON object on one line. ParseConfiguration turns it back into the same
/// options, except for passwords in URLs, which are replaced by "***". Omits strings that are not
/// set.
/// REQUIRES: ValidateOptions(options, ...) is true.
TRACEKIN_API std::string PrintConfiguration(const Options& options);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_H
