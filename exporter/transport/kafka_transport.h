// SPDX-License-Identifier: Apache-2.0
// Publishes batches on a Kafka topic with librdkafka, each batch one message.
//
// librdkafka has threads of its own, with all signals blocked: one, and one for each broker that it
// knows. They are started when the transport is made, which is why a host that forbids itself new
// threads (HAProxy) needs all brokers of the topic named in `kafka_brokers`, as the cluster names
// them.
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

namespace tracekin {

/// A batch is accepted when all replicas that are in sync have it. Until the deadline librdkafka
/// tries as often as it takes, without ever doubling the message (idempotence: KIP-98). At the
/// deadline the message is taken back. One that no broker was sent yet is never delivered later. One
/// that waited for its acknowledgement may be, and is delivered twice if it is sent again; while a
/// broker hangs that is one message, not each that is tried.
///
/// After a fork the child closes its copies of the sockets; the descriptors by which librdkafka's
/// threads wake each other stay open in it.
class KafkaTransport final : public Transport {
 public:
  /// Throws std::runtime_error, with librdkafka's words, if it does not take the settings in
  /// `kafka_brokers` or `kafka_config_file`. Connects to nothing.
  static void Check(const ExporterOptions& options);

  /// Uses the fields of ExporterOptions that begin with kafka_, `compression`, `timeout_ms` and
  /// `connect_timeout_ms`. What cannot be set up is tried again with each batch.
  explicit KafkaTransport(const ExporterOptions& options);

  /// Waits a second for librdkafka's threads, at most; one that hangs in a name server's answer is
  /// left to end by itself.
  ~KafkaTransport() override;

  SendResult Send(const std::string& body, std::size_t spans, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override;
  void AbandonAfterFork() noexcept override;

 private:
  struct Client;
  struct Ending {
    std::thread thread;  // destroys a client's producer
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
  const std::shared_ptr<Sockets> sockets_;  // of all clients, those that are being ended included
  std::shared_ptr<Client> client_;
  std::vector<Ending> ending_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_KAFKA_TRANSPORT_H
