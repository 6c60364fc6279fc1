// SPDX-License-Identifier: Apache-2.0
#include "configuration/file.h"

#include <cstddef>

#include "base/regular_file.h"
#include "tracekin/configuration.h"

namespace tracekin {

namespace {

constexpr std::size_t kMaxBytes = 1 << 20;  // limit of ParseConfiguration

}  // namespace

bool ParseConfigurationFile(const std::string& path, Options* options, std::string* error) {
  std::string json;
  const std::string reason = ReadRegularFile(path, kMaxBytes, &json);
  if (!reason.empty()) {
    *error = "cannot read " + path + ": " + reason;
    return false;
  }
  if (ParseConfiguration(json, options, error)) return true;
  *error = path + ": " + *error;
  return false;
}

namespace configuration {

std::string ReadConfigurationFile(const std::string& path, Options* options) {
  std::string error;
  if (!ParseConfigurationFile(path, options, &error)) return error;
  if (ApplyEnvironment(options, &error) && ValidateOptions(*options, &error)) return {};
  return path + ": " + error;
}

}  // namespace configuration

}  // namespace tracekin
