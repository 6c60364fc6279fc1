// SPDX-License-Identifier: Apache-2.0
// OpenSSL as a host uses it: certificates, handshakes, and a server's side of TLS.
#ifndef TRACEKIN_TESTS_PLUGIN_HOST_TLS_H
#define TRACEKIN_TESTS_PLUGIN_HOST_TLS_H

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/listener.h"

namespace tracekin::testing {

/// A certificate for localhost and 127.0.0.1 that vouches for itself, and its key; both in PEM.
struct Identity {
  std::string certificate;
  std::string key;
};
Identity MakeIdentity();

struct SslDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslContext = std::unique_ptr<SSL_CTX, SslDeleter>;
using Ssl = std::unique_ptr<SSL, SslDeleter>;

SslContext MakeServerContext(const Identity& identity);

/// What a server reads of `text` that a client, which trusts `identity` alone, sent it through memory.
std::string SendThroughTls(const Identity& identity, const std::string& text);

/// Listens on loopback, and passes on what comes in over TLS to the server on another port.
///
/// Thread-safety: a thread that accepts, and one for each connection.
class TlsFront {
 public:
  TlsFront(const Identity& identity, std::uint16_t backend);
  ~TlsFront();
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  std::uint16_t port() const { return listener_.port(); }

 private:
  void Accept();
  void Serve(int client) const;

  const SslContext context_;
  const std::uint16_t backend_;
  const Listener listener_{64};
  std::vector<std::thread> connections_;  // of thread_
  std::thread thread_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_PLUGIN_HOST_TLS_H
