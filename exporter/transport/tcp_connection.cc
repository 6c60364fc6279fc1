// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/tcp_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tracekin::exporter {

namespace {

using std::chrono::milliseconds;

void Check(CURLUcode code) {
  if (code == CURLUE_OK) return;
  if (code == CURLUE_OUT_OF_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(std::string("libcurl: ") + curl_url_strerror(code));
}

// Returns the URL that makes libcurl open a plain TCP connection to the host of `url`.
std::string UrlToConnectTo(const std::string& url, std::uint16_t default_port) {
  struct Deleter {
    void operator()(CURLU* parts) const { curl_url_cleanup(parts); }
    void operator()(char* text) const { curl_free(text); }
  };
  const std::unique_ptr<CURLU, Deleter> parts(curl_url());
  if (!parts) throw std::bad_alloc();
  char* part = nullptr;
  Check(curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME));
  Check(curl_url_set(parts.get(), CURLUPART_SCHEME, "http", 0));
  if (curl_url_get(parts.get(), CURLUPART_PORT, &part, 0) == CURLUE_OK) {
    curl_free(part);
  } else {
    const std::string port = std::to_string(default_port);
    Check(curl_url_set(parts.get(), CURLUPART_PORT, port.c_str(), 0));
  }
  Check(curl_url_get(parts.get(), CURLUPART_URL, &part, 0));
  const std::unique_ptr<char, Deleter> text(part);
  return text.get();
}

std::string ErrnoWords(int error) { return std::generic_category().message(error); }

}  // namespace

TcpConnection::TcpConnection(const std::string& url, std::uint16_t default_port,
                             milliseconds connect_timeout, std::shared_ptr<Resolver> resolver)
    : url_(UrlToConnectTo(url, default_port)),
      connect_timeout_(connect_timeout),
      resolver_(std::move(resolver)) {
  MakeTransfer();
}

void TcpConnection::MakeTransfer() {
  transfer_.emplace(&sockets_);
  try {
    transfer_->Set(CURLOPT_URL, url_.c_str());
    transfer_->Set(CURLOPT_CONNECT_ONLY, 1L);
    transfer_->Set(CURLOPT_PROXY,
                   "");  // the proxies in the environment are for HTTP only
    transfer_->Set(CURLOPT_NOPROXY, "");
    transfer_->Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout_.count()));
  } catch (...) {
    transfer_.reset();
    throw;
  }
}

std::string TcpConnection::Connect(Clock::time_point deadline) {
  Close();
  if (!transfer_ || !transfer_->IsOurs()) MakeTransfer();
  std::string error = transfer_->Resolve(resolver_.get(), interrupt_, deadline);
  if (!error.empty()) return error;
  const std::optional<CURLcode> connected = transfer_->Run(interrupt_, deadline);
  if (connected != CURLE_OK && resolver_) resolver_->Doubt();
  if (!connected) return "timed out while connecting";
  if (*connected != CURLE_OK) return transfer_->Words(*connected);
  const CURLcode code = curl_easy_getinfo(transfer_->easy(), CURLINFO_ACTIVESOCKET, &socket_);
  return code == CURLE_OK && socket_ != CURL_SOCKET_BAD ? std::string() : transfer_->Words(code);
}

std::string TcpConnection::Write(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    if (!transfer_->IsOurs()) return kLostWords;
    const ssize_t size = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      if (std::string error = Await(POLLOUT, deadline); !error.empty()) return error;
    } else if (errno != EINTR) {
      return ErrnoWords(errno);
    }
  }
  return {};
}

std::string TcpConnection::Read(void* bytes, std::size_t size, Clock::time_point deadline) {
  for (auto* to = static_cast<char*>(bytes); size != 0;) {
    if (!transfer_->IsOurs()) return kLostWords;
    const ssize_t got = recv(socket_, to, size, MSG_DONTWAIT);
    if (got > 0) {
      to += got;
      size -= static_cast<std::size_t>(got);
    } else if (got == 0) {
      return "connection closed by the peer";
    } else if (errno == EAGAIN) {
      if (std::string error = Await(POLLIN, deadline); !error.empty()) return error;
    } else if (errno != EINTR) {
      return ErrnoWords(errno);
    }
  }
  return {};
}

// Waits briefly for `events`. The caller then checks the socket and the deadline again.
std::string TcpConnection::Await(short events, Clock::time_point deadline) noexcept {
  const auto left = interrupt_.Or(deadline) - Clock::now();
  if (left <= left.zero())
    return events == POLLIN ? "no response in time" : "timed out while sending";
  const auto wait = std::min(std::chrono::ceil<milliseconds>(left), kLongestWait);
  struct pollfd waited = {socket_, events, 0};
  poll(&waited, 1, static_cast<int>(wait.count()));
  return {};
}

bool TcpConnection::IsIdle() const noexcept {
  if (socket_ == CURL_SOCKET_BAD || !transfer_->IsOurs()) return false;
  char byte;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == -1 && errno == EAGAIN;
}

// libcurl closes its connection when the handle is removed.
void TcpConnection::Close() noexcept {
  if (transfer_) transfer_->End();
  socket_ = CURL_SOCKET_BAD;
}

void TcpConnection::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
}

// The handles are leaked: libcurl might wait for a lock that was held by a thread of the parent.
void TcpConnection::AbandonAfterFork() noexcept { sockets_.CloseAll(); }

}  // namespace tracekin::exporter
