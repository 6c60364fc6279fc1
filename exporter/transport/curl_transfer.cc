// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/curl_transfer.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/library_at_work.h"
#include "base/one_line.h"

namespace tracekin::exporter {

namespace {

using std::chrono::milliseconds;

curl_socket_t OnOpen(void* sockets, curlsocktype /*purpose*/, curl_sockaddr* address) noexcept {
  const int descriptor =
      static_cast<Sockets*>(sockets)->Open(address->family, address->socktype, address->protocol);
  return descriptor == -1 ? CURL_SOCKET_BAD : descriptor;
}

int OnClose(void* sockets, curl_socket_t descriptor) noexcept {
  static_cast<Sockets*>(sockets)->Close(descriptor);
  return 0;
}

}  // namespace

CurlTransfer::CurlTransfer(Sockets* sockets) : sockets_(sockets) {
  const LibraryAtWork at_work;
  InitialiseCurl();
  guards_[0] = OpenGuard();
  multi_.reset(curl_multi_init());
  guards_[1] = OpenGuard();
  easy_.reset(curl_easy_init());
  if (!multi_ || !easy_) throw std::bad_alloc();
  Set(CURLOPT_NOSIGNAL, 1L);    // do not change the host's signal handlers
  Set(CURLOPT_QUICK_EXIT, 1L);  // do not wait for a name server beyond the deadline
  Set(CURLOPT_ERRORBUFFER, error_.data());
  Set(CURLOPT_OPENSOCKETFUNCTION, &OnOpen);
  Set(CURLOPT_OPENSOCKETDATA, sockets);
  Set(CURLOPT_CLOSESOCKETFUNCTION, &OnClose);
  Set(CURLOPT_CLOSESOCKETDATA, sockets);
}

CurlTransfer::~CurlTransfer() {
  if (IsOurs()) {
    End();
    const LibraryAtWork at_work;
    easy_.reset();
    multi_.reset();
  } else {
    static_cast<void>(easy_.release());
    static_cast<void>(multi_.release());
  }
}

int CurlTransfer::OpenGuard() {
  const int guard = sockets_->Open(AF_UNIX, SOCK_STREAM, 0);
  if (guard != -1) return guard;
  throw std::runtime_error("cannot open a file descriptor for the connection: " +
                           std::generic_category().message(errno));
}

std::string CurlTransfer::Resolve(Resolver* resolver, const EarliestDeadline& interrupt,
                                  Clock::time_point deadline) {
  if (resolver == nullptr || HasConnection()) return {};
  const Resolver::Answer answer = resolver->Get(interrupt, deadline);
  if (!answer.error.empty()) return answer.error;
  std::unique_ptr<curl_slist, ListDeleter> list(
      curl_slist_append(nullptr, answer.addresses.c_str()));
  if (!list) throw std::bad_alloc();
  Set(CURLOPT_RESOLVE, list.get());
  addresses_ = std::move(list);
  return {};
}

std::optional<CURLcode> CurlTransfer::Run(const EarliestDeadline& interrupt,
                                          Clock::time_point deadline) noexcept {
  error_[0] = 0;
  if (!IsOurs() || curl_multi_add_handle(multi_.get(), easy()) != CURLM_OK) {
    return CURLE_FAILED_INIT;
  }
  added_ = true;
  for (;;) {
    if (!IsOurs() || !Perform()) return CURLE_FAILED_INIT;
    int more = 0;
    const CURLMsg* message = curl_multi_info_read(multi_.get(), &more);
    if (message != nullptr) return message->data.result;

    const auto left = interrupt.Or(deadline) - Clock::now();
    if (left <= left.zero()) return std::nullopt;
    const auto wait = std::min(std::chrono::ceil<milliseconds>(left), kLongestWait);
    // If libcurl does not have a descriptor at the moment, curl_multi_wait() would return
    // immediately. Therefore this passes a descriptor of -1, which poll(2) ignores.
    // curl_multi_poll() would use libcurl's own descriptors.
    struct curl_waitfd none = {-1, 0, 0};
    if (curl_multi_wait(multi_.get(), &none, 1, static_cast<int>(wait.count()), nullptr) !=
        CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
}

bool CurlTransfer::Perform() noexcept {
  const LibraryAtWork at_work;
  int running = 0;
  const CURLMcode code = curl_multi_perform(multi_.get(), &running);
  sockets_->ForgetClosed();
  return code == CURLM_OK;
}

void CurlTransfer::End() noexcept {
  if (!added_ || !IsOurs()) return;
  const LibraryAtWork at_work;
  curl_multi_remove_handle(multi_.get(), easy());
  sockets_->ForgetClosed();
  added_ = false;
}

std::string CurlTransfer::Words(CURLcode code) const {
  if (!IsOurs()) return kLostWords;
  std::string words = OneLine(error_[0] != 0 ? error_.data() : curl_easy_strerror(code));
  long error = 0;
  curl_easy_getinfo(easy(), CURLINFO_OS_ERRNO, &error);
  if (error != 0) words += ": " + std::generic_category().message(static_cast<int>(error));
  return words;
}

}  // namespace tracekin::exporter
