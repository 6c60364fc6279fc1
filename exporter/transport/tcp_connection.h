// SPDX-License-Identifier: Apache-2.0
// A TCP connection on which every wait has a deadline: for the name server and for the peer, even
// if that sends or receives single bytes. libcurl makes the connection, and this class sends and
// receives the bytes.
//
// Thread-safety: one thread at a time, except for Interrupt().
#ifndef TRACEKIN_EXPORTER_TRANSPORT_TCP_CONNECTION_H
#define TRACEKIN_EXPORTER_TRANSPORT_TCP_CONNECTION_H

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exporter/transport/curl_transfer.h"
#include "exporter/transport/earliest_deadline.h"
#include "exporter/transport/resolver.h"
#include "exporter/transport/sockets.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

class TcpConnection {
 public:
  using Clock = Transport::Clock;

  /// `url` names a host, and a port unless that is `default_port`. Its scheme is ignored.
  /// `resolver` resolves host names; libcurl does if that is null. Throws std::runtime_error if
  /// libcurl cannot be set up or rejects `url`. Does not connect yet.
  TcpConnection(const std::string& url, std::uint16_t default_port,
                std::chrono::milliseconds connect_timeout, std::shared_ptr<Resolver> resolver);

  // Each returns "" or an error message. After an error, the connection can only be closed.
  std::string Connect(Clock::time_point deadline);
  std::string Write(std::string_view bytes, Clock::time_point deadline);
  std::string Read(void* bytes, std::size_t size, Clock::time_point deadline);

  /// Returns whether the connection is open and has no unread data.
  bool IsIdle() const noexcept;

  void Close() noexcept;

  /// Returns whether `deadline`, or an earlier one that Interrupt() has set, has passed.
  bool IsOver(Clock::time_point deadline) const noexcept {
    return Clock::now() >= interrupt_.Or(deadline);
  }

  /// Same as in Transport.
  void Interrupt(Clock::time_point deadline) noexcept;
  void AbandonAfterFork() noexcept;

 private:
  void MakeTransfer();
  std::string Await(short events, Clock::time_point deadline) noexcept;

  const std::string url_;
  const std::chrono::milliseconds connect_timeout_;
  const std::shared_ptr<Resolver> resolver_;  // may be null
  EarliestDeadline interrupt_;
  Sockets sockets_;
  std::optional<CurlTransfer> transfer_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;  // owned by libcurl
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_TCP_CONNECTION_H
