// SPDX-License-Identifier: Apache-2.0
// A TCP port on loopback. The test may accept its connections or ignore them.
#ifndef TRACEKIN_TESTS_SUPPORT_LISTENER_H
#define TRACEKIN_TESTS_SUPPORT_LISTENER_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace tracekin::testing {

class Listener {
 public:
  /// Listens at any free port; `backlog` connections may wait to be accepted.
  explicit Listener(int backlog) {
    struct sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<struct sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, generic, size), 0);
    EXPECT_EQ(listen(socket_, backlog), 0);
    EXPECT_EQ(getsockname(socket_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int socket() const { return socket_; }
  in_port_t port() const { return port_; }
  /// Returns HOST:PORT.
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  const int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  in_port_t port_ = 0;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_LISTENER_H
