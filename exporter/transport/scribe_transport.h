// SPDX-License-Identifier: Apache-2.0
// Calls Scribe's Log for each batch, over one connection that is kept: Thrift's binary protocol in
// frames. Facebook's scribed and Zipkin's collector answer.
//
// What an answer means is said in scribe_answer.h; TRY_LATER says that nothing of the batch was taken.
// No answer is kFailed.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_TRANSPORT_H

#include <cstddef>
#include <memory>
#include <string>

#include "exporter/transport/tcp_connection.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin {

/// Bodies are those of ScribeEncoder. A connection on which anything went wrong, or that the peer has
/// closed meanwhile, is not used again: the next Send() makes one. A batch may have been taken though
/// its answer was lost; Scribe has no way to tell.
class ScribeTransport final : public Transport {
 public:
  /// Uses `endpoint`, `scribe_strict` and `connect_timeout_ms`. `resolver` is as TcpConnection has it. Throws std::runtime_error if libcurl
  /// cannot be set up or the endpoint is no URL.
  explicit ScribeTransport(const ExporterOptions& options,
                           std::shared_ptr<Resolver> resolver = nullptr);

  SendResult Send(const std::string& body, std::size_t spans, Clock::time_point deadline) override;
  void Interrupt(Clock::time_point deadline) noexcept override { connection_.Interrupt(deadline); }
  void AbandonAfterFork() noexcept override { connection_.AbandonAfterFork(); }

 private:
  std::string Exchange(const std::string& body, Clock::time_point deadline);

  const std::string call_;  // the header of the message, the same for each call
  TcpConnection connection_;
  std::string answer_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_SCRIBE_TRANSPORT_H
