// SPDX-License-Identifier: Apache-2.0
// Makes librdkafka's configuration from our options and from an operator's file of properties.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_KAFKA_CONFIGURATION_H
#define TRACEKIN_EXPORTER_TRANSPORT_KAFKA_CONFIGURATION_H

#include <librdkafka/rdkafka.h>

#include <memory>

#include "tracekin/options.h"

namespace tracekin::exporter {

struct KafkaConfigurationDeleter {
  void operator()(rd_kafka_conf_t* configuration) const { rd_kafka_conf_destroy(configuration); }
};
using KafkaConfiguration = std::unique_ptr<rd_kafka_conf_t, KafkaConfigurationDeleter>;

/// Returns the configuration for `options`. The operator's file has lines "property=value" with
/// librdkafka's names (CONFIGURATION.md of librdkafka), empty lines, and lines that begin with #.
/// It may override the properties that follow from other options, except for the brokers and those
/// on which delivery reports depend.
///
/// Throws std::runtime_error that names the option, the file and the line. The message quotes a
/// value only if librdkafka's own message does, because librdkafka knows which properties are
/// passwords.
KafkaConfiguration MakeKafkaConfiguration(const ExporterOptions& options);

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_KAFKA_CONFIGURATION_H
