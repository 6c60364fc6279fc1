// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/sink.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace tracekin {

namespace {

// The answer of dd-opentracing's agent; a collector's client ignores the body.
constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
constexpr char kError[] = "HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n";

// Serves libcurl's requests: a head with a Content-Length, then that many bytes.
void Serve(int connection) {
  std::string head;
  char buffer[65536];
  for (;;) {
    std::size_t end;
    while ((end = head.find("\r\n\r\n")) == std::string::npos) {
      const ssize_t size = read(connection, buffer, sizeof buffer);
      if (size <= 0) {
        close(connection);
        return;
      }
      head.append(buffer, static_cast<std::size_t>(size));
    }
    const std::string path = head.substr(0, head.find("\r\n"));
    const std::size_t field = head.find("Content-Length: ");
    std::size_t left =
        field < end ? std::strtoul(head.c_str() + field + 16, nullptr, 10) : std::size_t{0};
    const std::size_t have = std::min(left, head.size() - end - 4);
    left -= have;
    head.erase(0, end + 4 + have);
    while (left != 0) {
      const ssize_t size = read(connection, buffer, std::min(left, sizeof buffer));
      if (size <= 0) break;
      left -= static_cast<std::size_t>(size);
    }
    if (path.find(" /hang") != std::string::npos) pause();
    const bool fails = path.find(" /error") != std::string::npos;
    const std::string_view answer = fails ? kError : kAnswer;
    if (write(connection, answer.data(), answer.size()) < 0) break;
  }
  close(connection);
}

}  // namespace

std::string StartSink() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, size) != 0 || listen(listener, 16) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    std::perror("sink");
    std::exit(1);
  }
  std::thread([listener] {
    for (;;) {
      const int connection = accept(listener, nullptr, nullptr);
      if (connection >= 0) std::thread(Serve, connection).detach();
    }
  }).detach();
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/api/v2/spans";
}

}  // namespace tracekin
