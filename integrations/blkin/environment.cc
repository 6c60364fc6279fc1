// SPDX-License-Identifier: Apache-2.0
#include "integrations/blkin/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_file.h"
#include "tracekin/configuration.h"

namespace tracekin::blkin {

namespace {

constexpr std::size_t kMaxConfigurationBytes = 1 << 20;  // limit of ParseConfiguration

bool ReadConfiguration(const char* path, std::string* json, std::string* error) {
  const std::string reason = ReadRegularFile(path, kMaxConfigurationBytes, json);
  if (reason.empty()) return true;
  *error = std::string("TRACEKIN_CONFIG: cannot read ") + path + ": " + reason;
  return false;
}

bool SaysWhereSpansGo(const ExporterOptions& exporter) {
  return !exporter.type.empty() || !exporter.endpoint.empty() || !exporter.kafka_brokers.empty() ||
         exporter.path != ExporterOptions().path;
}

}  // namespace

std::shared_ptr<Tracer> TracerOfEnvironment(std::string* error) {
  Options options;
  const char* path = secure_getenv("TRACEKIN_CONFIG");
  const bool has_file = path != nullptr && *path != '\0';
  if (has_file) {
    std::string json;
    if (!ReadConfiguration(path, &json, error)) return nullptr;
    if (!ParseConfiguration(json, &options, error)) {
      *error = std::string(path) + ": " + *error;
      return nullptr;
    }
  }
  if (!ApplyEnvironment(&options, error)) return nullptr;
  if (!has_file && !SaysWhereSpansGo(options.exporter)) return nullptr;
  if (options.service_name.empty()) options.service_name = program_invocation_short_name;
  return MakeTracer(options, error);
}

}  // namespace tracekin::blkin
