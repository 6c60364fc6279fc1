// SPDX-License-Identifier: Apache-2.0
// From JSON and the environment to Options, and back to text.
//
// The keys of the JSON object are the names of the fields of Options, nested in the same way:
//
//   { "service_name": "frontend",
//     "exporter": {"endpoint": "http://127.0.0.1:9411/api/v2/spans"} }
//
// Thread-safety: any thread may call these at any time, as long as no other changes the environment
// or the Options at that moment.
// Errors: a function that fails returns false, leaves `options` as it was and puts one line into
// `error` that names the key (or the variable), the value and what is allowed; a password in a URL
// is not repeated there. All of them may throw std::bad_alloc and nothing else.
#ifndef TRACEKIN_CONFIGURATION_H
#define TRACEKIN_CONFIGURATION_H

#include <string>
#include <string_view>

#include "tracekin/export.h"
#include "tracekin/options.h"

namespace tracekin {

/// Sets the fields of `options` that the JSON object `json` (RFC 8259, UTF-8, at most 1 MiB) names;
/// a list or a map is replaced as a whole, the other fields stay as they are. Fails on anything
/// else: malformed JSON (told by line and column), an unknown key (with the nearest known one), a
/// key given twice, a wrong type, null, a value out of range.
TRACEKIN_API bool ParseConfiguration(std::string_view json, Options* options, std::string* error);

/// Sets the fields whose environment variable is set: TRACEKIN_ and the key's path in capitals,
/// joined by underscores (exporter.endpoint: TRACEKIN_EXPORTER_ENDPOINT). Booleans are true, false,
/// 1 or 0; the items of a list are separated by commas, a map is written key=value,key=value. An
/// empty variable counts as unset; so does every variable in a set-user-ID program.
TRACEKIN_API bool ApplyEnvironment(Options* options, std::string* error);

/// Checks every field as the two functions above do, and what no single key can tell: that a
/// service is named and that spans have somewhere to go. MakeTracer calls it.
TRACEKIN_API bool ValidateOptions(const Options& options, std::string* error);

/// The options as a JSON object on one line, from which ParseConfiguration makes the same options
/// again, but for passwords in URLs, which are replaced by "***". Texts that nobody has set are left out.
/// REQUIRES: ValidateOptions(options, ...) is true.
TRACEKIN_API std::string PrintConfiguration(const Options& options);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_H
