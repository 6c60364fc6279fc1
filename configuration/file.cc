// SPDX-License-Identifier: Apache-2.0
#include "configuration/file.h"

#include <cstddef>

#include "base/regular_file.h"
#include "tracekin/configuration.h"

namespace tracekin::configuration {

namespace {

constexpr std::size_t kMaxBytes = 1 << 20;  // limit of ParseConfiguration

}  // namespace

std::string ReadConfigurationFile(const std::string& path, Options* options) {
  std::string json;
  std::string error = ReadRegularFile(path, kMaxBytes, &json);
  if (error.empty() && ParseConfiguration(json, options, &error) &&
      ApplyEnvironment(options, &error) && ValidateOptions(*options, &error)) {
    return {};
  }
  return path + ": " + error;
}

}  // namespace tracekin::configuration
