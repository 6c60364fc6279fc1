// SPDX-License-Identifier: Apache-2.0
// Whether a value of Options is one that its setting allows; the same for every source of values.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_CONFIGURATION_CHECK_H
#define TRACEKIN_CONFIGURATION_CHECK_H

#include <string>
#include <string_view>
#include <vector>

#include "configuration/table.h"
#include "tracekin/options.h"

namespace tracekin {

/// "NAME: expected ..., found FOUND" with what `setting` allows. `name` is what the operator wrote:
/// the path or the environment variable. `found` is ready for display.
std::string Unexpected(std::string_view name, const Setting& setting, std::string_view found);

/// Checks the value that `options` has for `setting`. On failure `error` is an Unexpected().
bool CheckSetting(const Setting& setting, const Options& options, std::string_view name,
                  std::string* error);

/// Where spans go, for exporter.type may be empty: to the file, unless an endpoint is named.
std::string_view ExporterType(const ExporterOptions& exporter);

/// How they are encoded, for exporter.format may be empty: as JSON, unless they go to Scribe.
std::string_view ExporterFormat(const ExporterOptions& exporter);

/// How a request proves who sends it, each by what sets it; a request can have one of them.
std::vector<std::string_view> Credentials(const ExporterOptions& exporter);

/// Whether others on the network could read a credential: they need no more than to listen.
bool SendsCredentialsInClear(const ExporterOptions& exporter);

}  // namespace tracekin

#endif  // TRACEKIN_CONFIGURATION_CHECK_H
