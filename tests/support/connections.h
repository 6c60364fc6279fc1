// SPDX-License-Identifier: Apache-2.0
// Finds the network connections of this process.
#ifndef TRACEKIN_TESTS_SUPPORT_CONNECTIONS_H
#define TRACEKIN_TESTS_SUPPORT_CONNECTIONS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tracekin::testing {

/// Returns the descriptors of this process that are connected to `port` over IPv4.
inline std::vector<int> ConnectionsTo(std::uint16_t port) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename());
    struct sockaddr_in peer = {};
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<struct sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) {
      found.push_back(descriptor);
    }
  }
  return found;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_CONNECTIONS_H
