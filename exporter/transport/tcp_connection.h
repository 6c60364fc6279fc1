// SPDX-License-Identifier: Apache-2.0
// A TCP connection on which every wait has a deadline: for the name server, for the peer, and while
// the peer takes or gives single bytes. libcurl connects; after that the bytes are ours.
//
// Thread-safety: one thread at a time, but for Interrupt().
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

namespace tracekin {

class TcpConnection {
 public:
  using Clock = Transport::Clock;

  /// `url` names a host, and a port unless it is `default_port`; its scheme is not looked at. Throws
  /// std::runtime_error if libcurl cannot be set up or takes `url` for none. Connects to nobody yet.
  /// A name is asked of `resolver`; without one libcurl resolves it.
  TcpConnection(const std::string& url, std::uint16_t default_port,
                std::chrono::milliseconds connect_timeout, std::shared_ptr<Resolver> resolver);

  // Each returns "", or what went wrong, in words. The connection is of no use then but to be closed.
  std::string Connect(Clock::time_point deadline);
  std::string Write(std::string_view bytes, Clock::time_point deadline);
  std::string Read(void* bytes, std::size_t size, Clock::time_point deadline);

  /// Whether there is a connection that the peer has not ended and on which it has said nothing that
  /// was not read.
  bool IsIdle() const noexcept;

  void Close() noexcept;

  /// Whether `deadline`, or an earlier one that Interrupt() has set, has passed.
  bool IsOver(Clock::time_point deadline) const noexcept {
    return Clock::now() >= interrupt_.Or(deadline);
  }

  /// As Transport has them.
  void Interrupt(Clock::time_point deadline) noexcept;
  void AbandonAfterFork() noexcept;

 private:
  void MakeTransfer();
  std::string Await(short events, Clock::time_point deadline) noexcept;

  const std::string url_;
  const std::chrono::milliseconds connect_timeout_;
  const std::shared_ptr<Resolver> resolver_;  // or null
  EarliestDeadline interrupt_;
  Sockets sockets_;
  std::optional<CurlTransfer> transfer_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;  // libcurl's, which closes it
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_TCP_CONNECTION_H
