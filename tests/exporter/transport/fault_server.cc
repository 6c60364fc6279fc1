// SPDX-License-Identifier: Apache-2.0
#include "tests/exporter/transport/fault_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tracekin {

namespace {

// Returns whether `request` is a whole Thrift frame. A frame begins with its length, here less than
// 16 MiB.
bool IsWholeFrame(const std::string& request) {
  std::uint32_t length = 0;
  if (request.size() < sizeof length) return false;
  std::memcpy(&length, request.data(), sizeof length);
  return request.size() >= sizeof length + ntohl(length);
}

bool IsWhole(const std::string& request) {
  if (!request.empty() && request[0] == '\0') return IsWholeFrame(request);
  const std::size_t end = request.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::size_t length = request.find("Content-Length: ");
  const std::size_t body = length > end ? 0 : std::strtoul(&request[length + 16], nullptr, 10);
  return request.size() >= end + 4 + body;
}

}  // namespace

bool FaultServer::Connection::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void FaultServer::Connection::Answer(const std::string& status, std::string_view body,
                                     const std::string& headers) {
  std::string answer = "HTTP/1.1 " + status + "\r\n" + headers;
  answer += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  Write(answer.append(body));
}

bool FaultServer::Connection::WaitForPeer(int timeout_ms) {
  struct pollfd events[] = {{socket_, POLLRDHUP, 0}, {stop_, POLLIN, 0}};
  return poll(events, 2, timeout_ms) != 0;
}

void FaultServer::Connection::Reset() {
  const struct linger linger = {1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  closed_ = true;
}

void FaultServer::Connection::CloseHalf() { shutdown(socket_, SHUT_WR); }

FaultServer::FaultServer(Handler handler, const std::string& path)
    : handler_(std::move(handler)),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (bind(listener_, reinterpret_cast<struct sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 16) != 0) {
    throw std::runtime_error("no socket to listen on");
  }
  thread_ = std::thread([this] { Run(); });
}

FaultServer::FaultServer(Handler handler, std::uint16_t port)
    : handler_(std::move(handler)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  struct sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int reuse = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<struct sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 16) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Run(); });
}

FaultServer::~FaultServer() {
  eventfd_write(stop_, 1);
  thread_.join();
  close(listener_);
  close(stop_);
}

std::string FaultServer::url(const std::string& user) const {
  return "http://" + user + (user.empty() ? "" : "@") + "127.0.0.1:" + std::to_string(port_) +
         "/api/v2/spans";
}

std::vector<std::string> FaultServer::requests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

void FaultServer::Run() {
  std::vector<struct pollfd> sockets = {{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
  for (;;) {
    poll(sockets.data(), sockets.size(), -1);
    if (sockets[0].revents != 0) break;
    if (sockets[1].revents != 0) {
      ++connections_;
      sockets.push_back({accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), POLLIN, 0});
    }
    for (std::size_t i = sockets.size() - 1; i > 1; --i) {
      if (sockets[i].revents == 0 || Serve(sockets[i].fd)) continue;
      close(sockets[i].fd);
      sockets.erase(sockets.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (std::size_t i = 2; i < sockets.size(); ++i) close(sockets[i].fd);
}

bool FaultServer::Serve(int socket) {
  std::string request;
  while (!IsWhole(request)) {
    char buffer[65536];
    const ssize_t size = recv(socket, buffer, sizeof buffer, 0);
    if (size <= 0) return false;
    request.append(buffer, static_cast<std::size_t>(size));
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    requests_.push_back(std::move(request));
  }
  Connection connection(socket, stop_);
  handler_(connection);
  return !connection.closed_;
}

}  // namespace tracekin
