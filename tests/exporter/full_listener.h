// A port on loopback where nobody answers: a listener whose backlog is full.
#ifndef TRACEKIN_TESTS_EXPORTER_FULL_LISTENER_H
#define TRACEKIN_TESTS_EXPORTER_FULL_LISTENER_H

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace tracekin {

class FullListener {
 public:
  FullListener() {
    struct sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<struct sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, generic, size), 0);
    EXPECT_EQ(listen(listener_, 0), 0);
    EXPECT_EQ(getsockname(listener_, generic, &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
    for (int& filler : fillers_) {
      filler = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      connect(filler, generic, size);
    }
  }
  ~FullListener() {
    for (const int filler : fillers_) close(filler);
    close(listener_);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

  const std::string& port() const { return port_; }

 private:
  const int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  std::array<int, 3> fillers_{};
  std::string port_;
};

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_FULL_LISTENER_H
