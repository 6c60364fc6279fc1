// SPDX-License-Identifier: Apache-2.0
// libtracekin_kafka.so: publishes batches as messages of a Kafka topic.
#include "exporter/module.h"
#include "exporter/transport/kafka_transport.h"

namespace tracekin::exporter {
namespace {

std::unique_ptr<Transport> MakeTransport(const ExporterOptions& options,
                                         std::shared_ptr<Resolver> /*resolver*/) {
  return std::make_unique<KafkaTransport>(options);
}

constexpr ExporterModule kModule = {TRACEKIN_EXPORTER_MODULE_VERSION, nullptr, MakeTransport,
                                    KafkaTransport::Check};

}  // namespace
}  // namespace tracekin::exporter

const tracekin::exporter::ExporterModule* tracekin_exporter_module() noexcept {
  return &tracekin::exporter::kModule;
}
