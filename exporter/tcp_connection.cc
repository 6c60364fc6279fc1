#include "exporter/tcp_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "exporter/curl.h"

namespace tracekin {

namespace {

using std::chrono::milliseconds;

// curl_multi_poll counts in int; libcurl itself knows when it has something to do.
constexpr milliseconds kLongestWait{60000};

void Check(CURLUcode code) {
  if (code == CURLUE_OK) return;
  throw std::runtime_error(std::string("libcurl: ") + curl_url_strerror(code));
}

// The URL under which libcurl connects to the host of `url`, and says no more than TCP does.
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
                             milliseconds connect_timeout) {
  InitialiseCurl();
  multi_.reset(curl_multi_init());
  easy_.reset(curl_easy_init());
  if (!multi_ || !easy_) throw std::runtime_error("libcurl: no handle");
  const auto set = [this](CURLoption option, auto value) {
    CheckCurl(curl_easy_setopt(easy_.get(), option, value));
  };
  set(CURLOPT_URL, UrlToConnectTo(url, default_port).c_str());
  set(CURLOPT_CONNECT_ONLY, 1L);
  set(CURLOPT_PROXY, "");  // what the environment has is for HTTP
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
  set(CURLOPT_NOSIGNAL, 1L);    // signals are the host's
  set(CURLOPT_QUICK_EXIT, 1L);  // no waiting for a name server beyond the deadline
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_OPENSOCKETFUNCTION, &OnOpen);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_CLOSESOCKETFUNCTION, &OnClose);
  set(CURLOPT_CLOSESOCKETDATA, this);
}

TcpConnection::~TcpConnection() {
  if (multi_) Close();
}

std::string TcpConnection::Connect(Clock::time_point deadline) {
  Close();
  error_[0] = 0;
  const CURLMcode added = curl_multi_add_handle(multi_.get(), easy_.get());
  if (added != CURLM_OK) return curl_multi_strerror(added);
  added_ = true;
  for (;;) {
    int running = 0;
    const CURLMcode performed = curl_multi_perform(multi_.get(), &running);
    if (performed != CURLM_OK) return curl_multi_strerror(performed);
    int more = 0;
    if (const CURLMsg* message = curl_multi_info_read(multi_.get(), &more)) {
      if (message->data.result != CURLE_OK) return Words(message->data.result);
      break;
    }
    const auto left = interrupt_.Or(deadline) - Clock::now();
    if (left <= left.zero()) return "not connected when the time was up";
    const auto wait = std::min(std::chrono::ceil<milliseconds>(left), kLongestWait);
    curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(wait.count()), nullptr);
  }
  const CURLcode code = curl_easy_getinfo(easy_.get(), CURLINFO_ACTIVESOCKET, &socket_);
  return code == CURLE_OK && socket_ != CURL_SOCKET_BAD ? std::string() : Words(code);
}

std::string TcpConnection::Write(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
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
    const ssize_t got = recv(socket_, to, size, MSG_DONTWAIT);
    if (got > 0) {
      to += got;
      size -= static_cast<std::size_t>(got);
    } else if (got == 0) {
      return "closed by the peer";
    } else if (errno == EAGAIN) {
      if (std::string error = Await(POLLIN, deadline); !error.empty()) return error;
    } else if (errno != EINTR) {
      return ErrnoWords(errno);
    }
  }
  return {};
}

// Interrupt() ends a wait early; who waits looks anew at the socket and at the deadline.
std::string TcpConnection::Await(short events, Clock::time_point deadline) noexcept {
  const auto left = interrupt_.Or(deadline) - Clock::now();
  if (left <= left.zero()) return events == POLLIN ? "no answer in time" : "not sent in time";
  const auto wait = std::min(std::chrono::ceil<milliseconds>(left), kLongestWait);
  struct curl_waitfd waited = {};
  waited.fd = socket_;
  waited.events = events == POLLIN ? CURL_WAIT_POLLIN : CURL_WAIT_POLLOUT;
  const CURLMcode code =
      curl_multi_poll(multi_.get(), &waited, 1, static_cast<int>(wait.count()), nullptr);
  return code == CURLM_OK ? std::string() : curl_multi_strerror(code);
}

bool TcpConnection::IsIdle() const noexcept {
  if (socket_ == CURL_SOCKET_BAD) return false;
  char byte;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == -1 && errno == EAGAIN;
}

// libcurl closes what it has connected when the handle is taken out.
void TcpConnection::Close() noexcept {
  if (added_) curl_multi_remove_handle(multi_.get(), easy_.get());
  added_ = false;
  socket_ = CURL_SOCKET_BAD;
}

void TcpConnection::Interrupt(Clock::time_point deadline) noexcept {
  interrupt_.MoveForward(deadline);
  curl_multi_wakeup(multi_.get());
}

// The handles are leaked: libcurl might wait for a lock that no thread holds here.
void TcpConnection::AbandonAfterFork() noexcept { sockets_.CloseAll(); }

std::string TcpConnection::Words(CURLcode code) const {
  std::string words = error_[0] != 0 ? error_.data() : curl_easy_strerror(code);
  long error = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &error);
  if (error != 0) words += ": " + ErrnoWords(static_cast<int>(error));
  return words;
}

curl_socket_t TcpConnection::OnOpen(void* self, curlsocktype /*purpose*/,
                                    curl_sockaddr* address) noexcept {
  const int descriptor = static_cast<TcpConnection*>(self)->sockets_.Open(
      address->family, address->socktype, address->protocol);
  return descriptor == -1 ? CURL_SOCKET_BAD : descriptor;
}

int TcpConnection::OnClose(void* self, curl_socket_t descriptor) noexcept {
  static_cast<TcpConnection*>(self)->sockets_.Close(descriptor);
  return 0;
}

}  // namespace tracekin
