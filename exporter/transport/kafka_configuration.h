// SPDX-License-Identifier: Apache-2.0
// librdkafka's settings, from ours and from an operator's file of its own properties.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_KAFKA_CONFIGURATION_H
#define TRACEKIN_EXPORTER_TRANSPORT_KAFKA_CONFIGURATION_H

#include <librdkafka/rdkafka.h>

#include <memory>

#include "tracekin/options.h"

namespace tracekin {

struct KafkaConfigurationDeleter {
  void operator()(rd_kafka_conf_t* configuration) const { rd_kafka_conf_destroy(configuration); }
};
using KafkaConfiguration = std::unique_ptr<rd_kafka_conf_t, KafkaConfigurationDeleter>;

/// The file has lines "property=value", with librdkafka's names (CONFIGURATION.md of librdkafka),
/// empty ones and such that begin with #. It may change all that follows from other keys, but for
/// the brokers and what the delivery of batches rests on. Throws std::runtime_error that names the
/// key, the file and the line; a value only where librdkafka says it, which knows what a password is.
KafkaConfiguration MakeKafkaConfiguration(const ExporterOptions& options);

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_KAFKA_CONFIGURATION_H
