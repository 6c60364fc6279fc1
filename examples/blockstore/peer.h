// SPDX-License-Identifier: Apache-2.0
// The code that all peers share: it serves the requests that arrive at the peer's port, and sends
// requests.
//
// One thread runs a peer; any thread may use Call() and Respond(). A peer continues where its
// killed predecessor on the port stopped: it serves unanswered requests again. This is safe because
// repeating a read or a write does no harm while its sender waits.
#ifndef TRACEKIN_EXAMPLES_BLOCKSTORE_PEER_H
#define TRACEKIN_EXAMPLES_BLOCKSTORE_PEER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "segment.h"
#include "trace.h"

namespace blockstore {

class Peer {
 public:
  /// Receives the result of a call. The slot holds the callee's answer until the function returns.
  using Done = std::function<void(Slot* answer, bool ok)>;

  struct Message {
    PortNumber to;
    Op op;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::string target = {};  // the object's name, if there is one
    // `size` bytes that are copied to the slot's own buffer; they must stay valid until `done` is
    // called.
    const void* copied = nullptr;
    std::uint64_t data = 0;  // if `copied` is null: place in the segment, or 0: own buffer
  };

  Peer(const std::string& segment, PortNumber port);
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Owns the port and serves it until Stop() is called.
  void Run();
  void Stop() { stop_ = true; }

  /// Sends a request with the context of `trace`. The objects that `message` and `trace` refer to
  /// must live until `done` has been called, which happens on the thread of Run(). The call fails
  /// if there is no receiver for ten seconds.
  void Call(const Message& message, const Trace& trace, Done done);

 protected:
  /// Serves a request on the thread of Run(). Calls Respond() now or later, which ends the request.
  virtual void Serve(Slot* slot) = 0;
  void Respond(Slot* slot, bool ok) { segment_.Respond(slot, ok); }

  /// Returns the span of a request. It is tagged if an earlier owner of the port had begun to serve
  /// it.
  Trace Accept(const char* operation, const Slot& slot);

  Segment& segment() { return segment_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Message message;
    const Trace* trace;
    Done done;
  };

  void Step();
  void Answered(Slot* slot, bool ok);
  void Send(Slot* slot, const Message& message, const Trace& trace);
  void Free(Slot* slot);
  void LookAfterReceivers();
  void TakeUp();

  Segment segment_;
  const PortNumber port_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> serial_{0};
  std::mutex mutex_;  // guards the members up to the blank line
  std::vector<Slot*> free_;
  std::unordered_map<Slot*, Done> called_;
  std::deque<Waiting> waiting_;  // calls that wait for a free slot

  std::vector<Slot*> unanswered_;          // left by an earlier owner
  std::unordered_set<const Slot*> again_;  // the same slots once they are queued again
  std::uint32_t predecessors_ = 0;         // slots still in use for an earlier owner
  Clock::time_point next_look_{};
  Clock::time_point last_seen_[kPorts];  // time when each receiver was last seen alive
};

/// Blocks SIGTERM and SIGINT; must be called before any thread is started.
void BlockSignals();
/// Runs `peer` until SIGTERM or SIGINT arrives.
void RunUntilSignal(Peer* peer);

/// The main program of a peer: makes a `PeerType` with these arguments and runs it, traced as
/// `service`. The requests that the peer finishes while it ends are traced as well.
template <class PeerType, class... Arguments>
void RunPeer(const char* service, Arguments... arguments) {
  BlockSignals();
  Trace::Open(service);
  {
    PeerType peer(arguments...);
    RunUntilSignal(&peer);
  }
  Trace::Close();
}

}  // namespace blockstore

#endif  // TRACEKIN_EXAMPLES_BLOCKSTORE_PEER_H
