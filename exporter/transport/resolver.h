// SPDX-License-Identifier: Apache-2.0
// Resolves the one host that a transport connects to, with getaddrinfo() on a thread of its own.
// libcurl would start a new thread for each query.
//
// Some host processes forbid themselves new threads and change their root directory once they run,
// as HAProxy does. After that, no thread can be started, and /etc/hosts and /etc/resolv.conf are
// gone. The resolver's thread therefore starts together with the exporter's other threads and
// queries immediately, and MakeTracer waits briefly for the answer. The last known addresses stay
// in use while later queries fail, and the child of a fork starts with its parent's addresses.
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

namespace tracekin::exporter {

class Resolver {
 public:
  using Clock = Transport::Clock;

  /// A new connection queries again if the addresses are older than kFresh. It uses the old ones if
  /// there is no answer within kLongestWait.
  static constexpr std::chrono::seconds kFresh{60};
  static constexpr std::chrono::seconds kLongestWait{1};

  /// Makes a resolver for the host in `options.endpoint`, or in `proxy` unless that is empty.
  /// Returns null if there is no name to resolve: for an address, localhost, a Unix socket, or an
  /// invalid URL. Throws std::bad_alloc.
  static std::shared_ptr<Resolver> For(const ExporterOptions& options,
                                       const std::string& proxy = {});

  /// Resolves the host on the calling thread, for the resolvers that this process and its children
  /// make later. They use the addresses until a query of their own succeeds. Returns an error
  /// message or "". May block for as long as getaddrinfo() does. Throws std::bad_alloc.
  static std::string Preload(const ExporterOptions& options, const std::string& proxy = {});

  Resolver(const std::string& host, std::uint16_t port);

  /// Same as Stop().
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// Starts the thread unless it runs in this process, and requests a query. Throws
  /// std::system_error if no thread can be started. REQUIRES: the calling thread blocks the signals
  /// that the new thread must not receive.
  void Start();

  /// Ends the thread. A thread that is waiting for a name server ends by itself later.
  void Stop() noexcept;

  /// Waits until the first query has completed, successfully or not, or until `deadline`.
  void AwaitFirst(Clock::time_point deadline) noexcept;

  struct Answer {
    std::string addresses;  // addresses in the format of CURLOPT_RESOLVE
    std::string error;      // the reason if no address is known, otherwise empty
  };

  /// Returns the addresses for a new connection. Queries again if the last answer is old or in
  /// doubt. Waits for the new answer for up to kLongestWait if there are old addresses, and
  /// otherwise until `deadline`, or an earlier one in `interrupt`.
  Answer Get(const EarliestDeadline& interrupt, Clock::time_point deadline);

  /// Reports that a connection to the addresses failed, so that the next Get() queries again.
  void Doubt() noexcept;

  /// Makes the object usable in the child of a fork. Keeps the addresses, and leaks everything that
  /// the parent's thread may have been changing. REQUIRES: called in the child of a fork while it
  /// has only one thread.
  void AfterForkInChild() noexcept;

 private:
  struct State;

  static void Run(const std::shared_ptr<State>& state);

  const std::string name_;        // HOST:PORT
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_RESOLVER_H
