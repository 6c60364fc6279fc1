// SPDX-License-Identifier: Apache-2.0
// A host's use of OpenSSL: certificates, handshakes, and the server side of TLS.
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

/// A self-signed certificate for localhost and 127.0.0.1, and its key; both in PEM.
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

/// Sends `text` through memory from a client that trusts only `identity` to a server, and returns
/// the text that the server receives.
std::string SendThroughTls(const Identity& identity, const std::string& text);

/// Listens on loopback, and relays the data that arrives over TLS to the server on another port.
///
/// Thread-safety: one thread accepts, and each connection has a thread.
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
  std::vector<std::thread> connections_;  // used by thread_
  std::thread thread_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_PLUGIN_HOST_TLS_H
