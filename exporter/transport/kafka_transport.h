// SPDX-License-Identifier: Apache-2.0
// Publishes batches on a Kafka topic with librdkafka, one message per batch.
//
// librdkafka runs one thread of its own and one per broker that it knows, all with all signals
// blocked. They start when the transport is made. A host that forbids itself new threads (HAProxy)
// must therefore list all brokers of the topic in `kafka_brokers`, by the names that the cluster
// uses.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_KAFKA_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_KAFKA_TRANSPORT_H

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "exporter/transport/earliest_deadline.h"
#include "exporter/transport/sockets.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// A batch is accepted when all in-sync replicas have it. Until the deadline, librdkafka retries as
/// often as necessary without ever duplicating the message (idempotence: KIP-98). At the deadline,
/// the message is withdrawn.
///
/// A message that was not sent to a broker yet is never delivered later. A message that waited for
/// its acknowledgement may still be delivered, and is delivered twice if the batch is sent again.
/// While a broker hangs, this happens to one message only, not to each one that is tried.
///
/// After a fork, the child closes its copies of the sockets. The descriptors by which librdkafka's
/// threads wake each other stay open in the child.
class KafkaTransport final : public Transport {
 public:
  /// Throws std::runtime_error with librdkafka's message if it rejects the settings in
  /// `kafka_brokers` or `kafka_config_file`. Does not connect.
  static void Check(const ExporterOptions& options);

  /// Uses the fields of ExporterOptions that begin with kafka_, and `compression`, `timeout_ms` and
  /// `connect_timeout_ms`. If the producer cannot be set up, each batch tries again.
  explicit KafkaTransport(const ExporterOptions& options);

  /// Waits up to 1 s for librdkafka's threads. A thread that waits for a name server longer than
  /// that is left to end by itself.
  ~KafkaTransport() override;

  SendResult Send(const std::string& body, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override;
  void AbandonAfterFork() noexcept override;

 private:
  struct Client;
  struct Ending {
    std::thread thread;  // destroys the producer of one client
    std::future<void> done;
  };

  std::shared_ptr<Client> Connect() const;
  void BeginEnd(std::shared_ptr<Client> client) noexcept;
  void AwaitEnds(Clock::time_point until) noexcept;

  bool AwaitReport(Clock::time_point deadline);
  void Produce(const std::string& body);
  void TakeBack();
  void Renew();
  SendResult Judge(Clock::duration waited) const;

  const ExporterOptions options_;
  EarliestDeadline interrupt_;
  const std::shared_ptr<Sockets> sockets_;  // the sockets of all clients, including closing ones
  std::shared_ptr<Client> client_;
  std::vector<Ending> ending_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_KAFKA_TRANSPORT_H
