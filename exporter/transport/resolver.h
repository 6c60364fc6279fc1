// SPDX-License-Identifier: Apache-2.0
// The addresses of the one host that a transport connects to, asked of getaddrinfo() on a thread of its
// own. libcurl would start a thread for each question.
//
// Some hosts forbid themselves new threads and change their root folder once they run, as HAProxy does.
// Then no thread can be started, and /etc/hosts and /etc/resolv.conf are gone. So the thread is started
// with the exporter's others, asks at once, and MakeTracer waits a moment for the answer. The last
// addresses that were found stay in use for as long as later questions fail, and the child of a fork
// begins with its parent's.
//
// Thread-safety: any thread, except for AfterForkInChild().
#ifndef TRACEKIN_EXPORTER_TRANSPORT_RESOLVER_H
#define TRACEKIN_EXPORTER_TRANSPORT_RESOLVER_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "exporter/transport/earliest_deadline.h"
#include "tracekin/options.h"

namespace tracekin {

class Resolver {
 public:
  using Clock = Transport::Clock;

  /// How old addresses are when a new connection has them asked for again, and how long it then waits
  /// before it uses the old ones.
  static constexpr std::chrono::seconds kFresh{60};
  static constexpr std::chrono::seconds kLongestWait{1};

  /// For the host in `options.endpoint`, or in `proxy` unless that is empty. Returns null if there is no
  /// name to ask for: an address, localhost, a Unix socket, or no URL at all. Throws std::bad_alloc.
  static std::shared_ptr<Resolver> For(const ExporterOptions& options,
                                       const std::string& proxy = {});

  Resolver(const std::string& host, std::uint16_t port);

  /// As Stop().
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// Starts the thread, unless this process has it, and asks. Throws std::system_error if no thread can
  /// be had. REQUIRES: the calling thread blocks the signals that the new one is not to take.
  void Start();

  /// Ends the thread. One that still waits for a name server ends by itself, later.
  void Stop() noexcept;

  /// Waits until the first question has its answer, whatever that is, but not beyond `deadline`.
  void AwaitFirst(Clock::time_point deadline) noexcept;

  struct Answer {
    std::string
        addresses;      // HOST:PORT:ADDRESS[,ADDRESS...], as libcurl's option RESOLVE takes them
    std::string error;  // why none are known; empty if some are
  };

  /// What a new connection is to use. Asks if the last answer is old or in doubt, and waits for a new
  /// one: kLongestWait if there is an old one, else until `deadline`, or an earlier one in `interrupt`.
  Answer Get(const EarliestDeadline& interrupt, Clock::time_point deadline);

  /// Says that there was no connection to the addresses: the next Get() asks.
  void Doubt() noexcept;

  /// Leaves what the parent had as it is, except for the addresses. REQUIRES: called in the child of a
  /// fork, while it has one thread.
  void AfterForkInChild() noexcept;

 private:
  struct State;

  static void Run(const std::shared_ptr<State>& state);

  const std::string name_;        // HOST:PORT
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_RESOLVER_H
