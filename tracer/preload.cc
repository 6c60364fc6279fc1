// SPDX-License-Identifier: Apache-2.0
#include "tracer/preload.h"

#include <cstddef>
#include <cstdlib>

#include "base/regular_file.h"
#include "base/standard_error.h"
#include "configuration/table.h"
#include "exporter/destination.h"
#include "tracekin/configuration.h"

namespace tracekin {

namespace {

constexpr std::size_t kMaxConfigurationBytes = 1 << 20;  // limit of ParseConfiguration

std::string ReadConfiguration(const std::string& path, Options* options) {
  std::string json;
  std::string error = ReadRegularFile(path, kMaxConfigurationBytes, &json);
  if (!error.empty()) return "TRACEKIN_CONFIG: cannot read " + path + ": " + error;
  if (ParseConfiguration(json, options, &error) && ApplyEnvironment(options, &error) &&
      ValidateOptions(*options, &error)) {
    return {};
  }
  return path + ": " + error;
}

}  // namespace

std::string PreloadConfiguration() {
  const char* const path = secure_getenv("TRACEKIN_CONFIG");
  if (path == nullptr || *path == '\0') return {};
  Options options;
  if (std::string error = ReadConfiguration(path, &options); !error.empty()) return error;
  configuration::MakePathsAbsolute(&options);
  const std::string unread = exporter::Preload(options.exporter);
  if (!unread.empty()) SayOnStandardError(unread);
  return {};
}

}  // namespace tracekin
