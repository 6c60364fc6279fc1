// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/resolver.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/append_only_map.h"
#include "base/standard_descriptors.h"

namespace tracekin::exporter {

namespace {

using std::chrono::milliseconds;

// The port of Zipkin's collector for Scribe.
constexpr const char* kScribePort = "9410";

// How long a wait may last before an Interrupt() is noticed.
constexpr milliseconds kPoll{20};

constexpr std::size_t kMostAddresses = 16;

// Addresses separated by commas. A fixed array is complete whenever a fork copies it.
using List = std::array<char, kMostAddresses*(INET6_ADDRSTRLEN + 3)>;

std::string Written(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
    return text;
  }
  if (address->sa_family != AF_INET6) return {};
  inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
            sizeof text);
  return '[' + std::string(text) + ']';
}

struct Found {
  std::string addresses;
  std::string error;
};

// Resolves `host`. May block without a time limit.
Found Ask(const std::string& host) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const StandardDescriptorsTaken taken;  // keeps the name servers' sockets off 0, 1 and 2
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  Found found;
  if (code != 0) {
    found.error = code == EAI_SYSTEM ? std::generic_category().message(errno)
                                     : std::string(gai_strerror(code));
    return found;
  }
  std::size_t count = 0;
  for (const addrinfo* info = list; info != nullptr && count < kMostAddresses;
       info = info->ai_next) {
    const std::string address = Written(info->ai_addr);
    if (address.empty()) continue;
    found.addresses.append(count++ == 0 ? "" : ",").append(address);
  }
  freeaddrinfo(list);
  if (count == 0) found.error = "no address found";
  return found;
}

AppendOnlyMap preloaded;  // the addresses of hosts that were resolved before there was a resolver

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string Part(CURLU* url, CURLUPart part, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

// Returns whether libcurl can resolve `host` without a name server: an address, or a name under
// localhost.
bool IsKnown(const std::string& host) {
  constexpr const char* kLocal = ".localhost";
  in_addr address;
  if (host.empty() || host[0] == '[' || inet_pton(AF_INET, host.c_str(), &address) == 1)
    return true;
  const std::string dotted = '.' + host;
  const std::size_t size = std::strlen(kLocal);
  return dotted.size() >= size && strcasecmp(&dotted[dotted.size() - size], kLocal) == 0;
}

}  // namespace

struct Resolver::State {
  explicit State(const std::string& asked) : host(asked) {}

  const std::string host;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;  // guarded by `mutex`, like the fields below
  bool stop = false;
  bool wanted = false;  // a query was requested
  bool asking = false;
  std::uint64_t answers = 0;  // completed queries
  bool doubted = true;
  Clock::time_point answered{};  // time of the last successful query
  std::string error;             // the error of the last query

  // The thread writes to the list that is not current, and then makes it the current one.
  std::array<List, 2> lists{};
  std::atomic<unsigned> current{0};

  const char* known() const { return lists[current].data(); }

  void Know(const std::string& addresses) {
    const unsigned next = 1 - current;
    lists[next][addresses.copy(lists[next].data(), lists[next].size() - 1)] = '\0';
    current = next;
  }

  bool IsFresh() const {
    return known()[0] != '\0' && !doubted && Clock::now() < answered + kFresh;
  }

  // Requests a query. Returns the value that `answers` will have when it is complete. REQUIRES:
  // `mutex` is held.
  std::uint64_t Want() {
    wanted = wanted || !asking;
    changed.notify_all();
    return answers + 1;
  }
};

std::shared_ptr<Resolver> Resolver::For(const ExporterOptions& options, const std::string& proxy) {
  if (!options.unix_socket.empty()) return nullptr;
  const std::unique_ptr<CURLU, UrlDeleter> url(curl_url());
  if (!url) throw std::bad_alloc();
  const std::string& text = proxy.empty() ? options.endpoint : proxy;
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(),
                   CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) != CURLUE_OK) {
    return nullptr;
  }
  const std::string host = Part(url.get(), CURLUPART_HOST, CURLU_PUNYCODE);
  if (IsKnown(host)) return nullptr;
  std::string port = Part(url.get(), CURLUPART_PORT, 0);
  if (port.empty()) {
    const std::string scheme = Part(url.get(), CURLUPART_SCHEME, 0);
    if (!proxy.empty()) {
      port = scheme == "https" ? "443" : "1080";  // libcurl's defaults
    } else {
      port = scheme == "https" ? "443" : scheme == "http" ? "80" : kScribePort;
    }
  }
  return std::make_shared<Resolver>(host, static_cast<std::uint16_t>(std::stoi(port)));
}

Resolver::Resolver(const std::string& host, std::uint16_t port)
    : name_(host + ':' + std::to_string(port)), state_(std::make_shared<State>(host)) {
  if (const std::string* addresses = preloaded.Find(host)) state_->Know(*addresses);
}

std::string Resolver::Preload(const ExporterOptions& options, const std::string& proxy) {
  const auto resolver = For(options, proxy);
  if (resolver == nullptr) return {};
  const std::string& host = resolver->state_->host;
  Found found = Ask(host);
  if (found.addresses.empty()) return "cannot resolve host " + host + ": " + found.error;
  preloaded.Add(host, std::move(found.addresses));
  return {};
}

Resolver::~Resolver() { Stop(); }

void Resolver::Start() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->thread.joinable()) return;
  state_->stop = false;
  state_->Want();
  state_->thread = std::thread(&Resolver::Run, state_);
}

void Resolver::Run(const std::shared_ptr<State>& state) {
  pthread_setname_np(pthread_self(), "tracekin-names");
  std::unique_lock<std::mutex> lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->stop || state->wanted; });
    if (state->stop) return;
    state->wanted = false;
    state->asking = true;
    lock.unlock();
    Found found;
    try {
      found = Ask(state->host);
    } catch (const std::bad_alloc&) {
      // The error stays empty, because there is no memory for a message.
    }
    lock.lock();
    state->asking = false;
    ++state->answers;
    state->error = std::move(found.error);
    if (!found.addresses.empty()) {
      state->Know(found.addresses);
      state->answered = Clock::now();
      state->doubted = false;
    }
    state->changed.notify_all();
  }
}

void Resolver::Stop() noexcept {
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (!state_->thread.joinable()) return;
  state_->stop = true;
  state_->changed.notify_all();
  std::thread thread = std::move(state_->thread);
  if (state_->asking) return thread.detach();
  lock.unlock();
  thread.join();
}

void Resolver::AwaitFirst(Clock::time_point deadline) noexcept {
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (!state_->thread.joinable()) return;
  state_->changed.wait_until(lock, deadline, [this] { return state_->answers != 0; });
}

Resolver::Answer Resolver::Get(const EarliestDeadline& interrupt, Clock::time_point deadline) {
  Start();
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (!state_->IsFresh()) {
    const std::uint64_t target = state_->Want();
    const bool old = state_->known()[0] != '\0';
    const auto until = old ? std::min(deadline, Clock::now() + kLongestWait) : deadline;
    while (state_->answers < target && Clock::now() < interrupt.Or(until)) {
      state_->changed.wait_for(lock, kPoll);
    }
  }
  if (state_->known()[0] != '\0') return {name_ + ':' + state_->known(), {}};
  const bool answered = !state_->asking && !state_->wanted;
  return {{},
          "Could not resolve host: " + state_->host + ": " +
              (answered ? state_->error : "no response in time")};
}

void Resolver::Doubt() noexcept {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->doubted = true;
}

// The parent's thread does not exist in this process. It may have been changing any of these fields
// during the fork, except the current list.
void Resolver::AfterForkInChild() noexcept {
  new (&state_->mutex) std::mutex;
  new (&state_->changed) std::condition_variable;
  new (&state_->thread) std::thread;
  new (&state_->error) std::string;
  state_->stop = state_->wanted = state_->asking = false;
  state_->answers = 0;
}

}  // namespace tracekin::exporter
