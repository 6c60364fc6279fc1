// SPDX-License-Identifier: Apache-2.0
#include "integrations/blkin/environment.h"

#include <errno.h>
#include <stdlib.h>

#include "tracekin/configuration.h"

namespace tracekin::blkin {

namespace {

bool SaysWhereSpansGo(const ExporterOptions& exporter) {
  return !exporter.type.empty() || !exporter.endpoint.empty() || !exporter.kafka_brokers.empty() ||
         exporter.path != ExporterOptions().path;
}

}  // namespace

std::shared_ptr<Tracer> TracerOfEnvironment(std::string* error) {
  Options options;
  const char* path = secure_getenv("TRACEKIN_CONFIG");
  const bool has_file = path != nullptr && *path != '\0';
  if (has_file && !ParseConfigurationFile(path, &options, error)) {
    *error = "TRACEKIN_CONFIG: " + *error;
    return nullptr;
  }
  if (!ApplyEnvironment(&options, error)) return nullptr;
  if (!has_file && !SaysWhereSpansGo(options.exporter)) return nullptr;
  if (options.service_name.empty()) options.service_name = program_invocation_short_name;
  return MakeTracer(options, error);
}

}  // namespace tracekin::blkin
