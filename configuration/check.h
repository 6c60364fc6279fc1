// SPDX-License-Identifier: Apache-2.0
// Checks that the values in Options are allowed by their settings, no matter where the values come
// from.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_CONFIGURATION_CHECK_H
#define TRACEKIN_CONFIGURATION_CHECK_H

#include <string>
#include <string_view>
#include <vector>

#include "configuration/table.h"
#include "tracekin/options.h"

namespace tracekin::configuration {

/// Returns the message "NAME: expected ..., found FOUND", with the values that `setting` allows.
/// `name` is the path or the environment variable, depending on which one the operator used.
/// `found` is ready for display.
std::string Unexpected(std::string_view name, const Setting& setting, std::string_view found);

/// Checks the value of `setting` in `options`. On failure, `error` is an Unexpected().
bool CheckSetting(const Setting& setting, const Options& options, std::string_view name,
                  std::string* error);

/// Returns sampler.type, or the type that the other options imply if it is not set.
std::string_view SamplerTypeOf(const SamplerOptions& sampler);

/// Returns the credentials that the options set, each by the name of its setting. A request can
/// have only one of them.
std::vector<std::string_view> Credentials(const ExporterOptions& exporter);

/// Returns whether anyone who can listen on the network could read a credential.
bool SendsCredentialsInClear(const ExporterOptions& exporter);

}  // namespace tracekin::configuration

#endif  // TRACEKIN_CONFIGURATION_CHECK_H
