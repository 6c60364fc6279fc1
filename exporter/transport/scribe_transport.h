// SPDX-License-Identifier: Apache-2.0
// Calls Scribe's Log for each batch, over one connection that is kept alive, in Thrift's binary
// protocol with frames. Works with Facebook's scribed and Zipkin's collector.
//
// scribe_answer.h describes how responses are judged. TRY_LATER means that the server stored
// nothing of the batch. A missing response is kFailed.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_TRANSPORT_H

#include <cstddef>
#include <memory>
#include <string>

#include "exporter/transport/tcp_connection.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

/// Sends bodies made by ScribeEncoder. A connection with an error, or one that the peer has closed,
/// is not reused: the next Send() opens a new one. A batch may have been stored even if its
/// response was lost; Scribe does not provide a way to find out.
class ScribeTransport final : public Transport {
 public:
  /// Uses `endpoint`, `scribe_strict` and `connect_timeout_ms`. `resolver` is passed to
  /// TcpConnection. Throws std::runtime_error if libcurl cannot be set up or the endpoint is not a
  /// URL.
  explicit ScribeTransport(const ExporterOptions& options,
                           std::shared_ptr<Resolver> resolver = nullptr);

  SendResult Send(const std::string& body, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override { connection_.Interrupt(deadline); }
  void AbandonAfterFork() noexcept override { connection_.AbandonAfterFork(); }

 private:
  std::string Exchange(const std::string& body, Clock::time_point deadline);

  const std::string call_;  // the header of the message, the same for each call
  TcpConnection connection_;
  std::string answer_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_TRANSPORT_H
