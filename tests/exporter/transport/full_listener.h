// SPDX-License-Identifier: Apache-2.0
// A port on loopback that does not answer: a listener whose backlog is full.
#ifndef TRACEKIN_TESTS_EXPORTER_TRANSPORT_FULL_LISTENER_H
#define TRACEKIN_TESTS_EXPORTER_TRANSPORT_FULL_LISTENER_H

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/listener.h"

namespace tracekin {

class FullListener {
 public:
  FullListener() {
    struct sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(listener_.port());
    for (int& filler : fillers_) {
      filler = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect(filler, reinterpret_cast<struct sockaddr*>(&address), sizeof address);
    }
  }
  ~FullListener() {
    for (const int filler : fillers_) close(filler);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  std::string port() const { return std::to_string(listener_.port()); }

 private:
  const testing::Listener listener_{0};
  std::array<int, 3> fillers_{};
};

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_TRANSPORT_FULL_LISTENER_H
