// SPDX-License-Identifier: Apache-2.0
// Relays between Ceph's clients and OSDs and makes a span of each operation; see README.md.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <tracekin/configuration.h>
#include <tracekin/tracer.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "connection.h"
#include "messenger.h"
#include "operations.h"

namespace {

constexpr char kUsage[] =
    "usage: ceph_relay [--no-stamp] [--digest FILE] LISTEN=OSD...\n"
    "\n"
    "Relays from each address LISTEN to the address OSD until SIGTERM or SIGINT. Both are "
    "IPv4:PORT;\n"
    "port 0 of LISTEN is any free one. Prints \"LISTEN=OSD\" once it listens, and its counts at "
    "the end.\n"
    "TRACEKIN_... in the environment configures the tracer.\n"
    "\n"
    "  --no-stamp     change no byte, but make spans\n"
    "  --digest FILE  append a digest of what arrived and what was sent when a connection ends\n";

constexpr std::size_t kMaxConnections = 1024;
constexpr int kConnectSeconds = 5;

[[noreturn]] void Exit(const std::string& message) {
  std::cerr << "ceph_relay: " << message << std::endl;
  std::exit(1);
}

bool ParseAddress(const std::string& text, sockaddr_in* address) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  char* end;
  const unsigned long port = std::strtoul(text.c_str() + colon + 1, &end, 10);
  *address = {};
  address->sin_family = AF_INET;
  address->sin_port = htons(static_cast<in_port_t>(port));
  return *end == '\0' && colon + 1 < text.size() && port <= 65535 &&
         inet_pton(AF_INET, text.substr(0, colon).c_str(), &address->sin_addr) == 1;
}

std::string Print(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return text + (":" + std::to_string(ntohs(address.sin_port)));
}

struct Route {
  int listener;
  sockaddr_in osd;
};

Route Listen(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  sockaddr_in address;
  Route route;
  if (equals == std::string::npos || !ParseAddress(argument.substr(0, equals), &address) ||
      !ParseAddress(argument.substr(equals + 1), &route.osd)) {
    Exit("not LISTEN=OSD: " + argument);
  }
  route.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(route.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(route.listener, any, size) != 0 || listen(route.listener, 128) != 0 ||
      getsockname(route.listener, any, &size) != 0) {
    Exit(argument + ": " + std::strerror(errno));
  }
  std::cout << Print(address) << '=' << Print(route.osd) << std::endl;
  return route;
}

// Only one thread may call the methods. Each connection has its own thread.
class Relay {
 public:
  Relay(std::shared_ptr<tracekin::Tracer> tracer, bool stamp, std::FILE* digests)
      : tracer_(std::move(tracer)), stamp_(stamp), digests_(digests) {}
  ~Relay() { close(stop_); }

  // Serves the connection `client` and closes it when it ends.
  void Accept(int client, const sockaddr_in& osd) {
    JoinEnded();
    if (threads_.size() == kMaxConnections || !Start(client, osd)) {
      ++refused_;
      close(client);
    }
  }

  // Ends all connections.
  void Stop() {
    const std::uint64_t one = 1;
    if (write(stop_, &one, sizeof one) != sizeof one) Exit("cannot stop");
    for (Thread& thread : threads_) thread.thread.join();
    threads_.clear();
  }

  void PrintCounts() const {
    std::cout << "connections " << connections_ << "\nunreachable " << unreachable_ << "\nrefused "
              << refused_ << "\nrequests " << counts_.requests << "\nreplies " << counts_.replies
              << "\nunanswered " << counts_.unanswered << "\nwith_context " << counts_.with_context
              << "\nstamped " << counts_.stamped << "\nsigned " << counts_.may_be_signed
              << "\ntoo_large " << counts_.too_large << "\nunknown " << counts_.unknown
              << "\ninconsistent " << counts_.inconsistent << "\nnot_followed "
              << counts_.not_followed << "\npassed_through " << counts_.passed_through << std::endl;
  }

 private:
  struct Thread {
    std::thread thread{};
    std::atomic<bool> ended{false};
  };

  void JoinEnded() {
    threads_.remove_if([](Thread& thread) {
      if (!thread.ended) return false;
      thread.thread.join();
      return true;
    });
  }

  bool Start(int client, const sockaddr_in& osd) {
    Thread& thread = threads_.emplace_back();
    try {
      thread.thread = std::thread([this, client, osd, &thread] {
        Serve(client, osd);
        thread.ended = true;
      });
    } catch (const std::system_error&) {
      threads_.pop_back();
      return false;
    }
    return true;
  }

  void Serve(int client, const sockaddr_in& osd) {
    const int server = Connect(osd);
    if (server >= 0) {
      Carry(client, server, osd);
      close(server);
    }
    close(client);
    ++(server >= 0 ? connections_ : unreachable_);
  }

  int Connect(const sockaddr_in& osd) {
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience = {kConnectSeconds, 0};
    setsockopt(server, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(server, reinterpret_cast<const sockaddr*>(&osd), sizeof osd) == 0) return server;
    close(server);
    return -1;
  }

  void Carry(int client, int server, const sockaddr_in& osd) {
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Handshake handshake;
    Operations operations(tracer_, stamp_, Print(osd), &handshake, &counts_);
    MessengerStream requests(MessengerStream::kClient, &handshake, operations.requests());
    MessengerStream replies(MessengerStream::kServer, &handshake, operations.replies());
    Connection connection(client, server, stop_, &requests, &replies, digests_ != nullptr);
    try {
      connection.Run();
    } catch (const std::bad_alloc&) {  // this connection ends and its client makes a new one
    }
    if (digests_ != nullptr) PrintDigests(connection);
  }

  void PrintDigests(const Connection& connection) {
    const std::lock_guard<std::mutex> lock(digests_mutex_);
    const auto print = [this](const char* side, const Connection::Digests& digests) {
      std::fprintf(digests_, "%s in %llu %016llx out %llu %016llx\n", side,
                   static_cast<unsigned long long>(digests.in.bytes),
                   static_cast<unsigned long long>(digests.in.hash),
                   static_cast<unsigned long long>(digests.out.bytes),
                   static_cast<unsigned long long>(digests.out.hash));
    };
    print("client", connection.from_client());
    print("osd", connection.from_osd());
    std::fflush(digests_);
  }

  const std::shared_ptr<tracekin::Tracer> tracer_;
  const bool stamp_;
  std::FILE* const digests_;
  std::mutex digests_mutex_;
  const int stop_ = eventfd(0, EFD_CLOEXEC);
  Counts counts_;
  std::atomic<std::uint64_t> connections_{0};
  std::atomic<std::uint64_t> unreachable_{0};
  std::uint64_t refused_ = 0;
  std::list<Thread> threads_;
};

// Accepts connections until a signal can be read from `signals`.
void AcceptAll(const std::vector<Route>& routes, int signals, Relay* relay) {
  std::vector<pollfd> files;
  for (const Route& route : routes) files.push_back({route.listener, POLLIN, 0});
  files.push_back({signals, POLLIN, 0});
  while (files.back().revents == 0) {
    if (poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < routes.size(); ++i) {
      if (files[i].revents == 0) continue;
      const int client = accept4(routes[i].listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (client >= 0) relay->Accept(client, routes[i].osd);
    }
  }
}

int BlockedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

}  // namespace

int main(int argc, char** argv) {
  bool stamp = true;
  std::FILE* digests = nullptr;
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--no-stamp") {
      stamp = false;
    } else if (argument == "--digest" && i + 1 < argc) {
      digests = std::fopen(argv[++i], "ae");
      if (digests == nullptr) Exit(argv[i] + (": " + std::string(std::strerror(errno))));
    } else if (argument.compare(0, 1, "-") == 0) {
      std::cerr << kUsage;
      return 2;
    } else {
      arguments.push_back(argument);
    }
  }
  if (arguments.empty()) {
    std::cerr << kUsage;
    return 2;
  }
  const int signals = BlockedSignals();  // before any thread is started
  std::string error;
  const auto tracer = tracekin::MakeTracerFromJson(R"({"service_name": "ceph-relay"})", &error);
  if (tracer == nullptr) Exit(error);
  Relay relay(tracer, stamp, digests);
  std::vector<Route> routes;
  for (const std::string& argument : arguments) routes.push_back(Listen(argument));
  AcceptAll(routes, signals, &relay);
  relay.Stop();
  tracer->Close();
  relay.PrintCounts();
  return 0;
}
