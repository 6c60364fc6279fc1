// SPDX-License-Identifier: Apache-2.0
#include "tracer/preload.h"

#include <cstdlib>

#include "configuration/file.h"
#include "configuration/table.h"
#include "exporter/destination.h"
#include "tracekin/options.h"
#include "tracer/log.h"

namespace tracekin {

std::string PreloadConfiguration() {
  const char* const path = secure_getenv("TRACEKIN_CONFIG");
  if (path == nullptr || *path == '\0') return {};
  Options options;
  std::string error = configuration::ReadConfigurationFile(path, &options);
  if (!error.empty()) return error;
  configuration::MakePathsAbsolute(&options);
  const std::string unread = exporter::Preload(options.exporter);
  if (!unread.empty()) LoggerOf(options)(LogLevel::kWarning, unread);
  return {};
}

}  // namespace tracekin
