// SPDX-License-Identifier: Apache-2.0
// What every peer does: serves the requests that come to its port, and sends some of its own.
//
// One thread runs it; Call() and Respond() are for any thread. A peer takes up where its predecessor on
// the port was killed: requests that nobody has answered are served again. All of them may be, for a
// read or a write that is done twice does no harm as long as its sender waits.
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
  /// What comes of a call: the slot is the callee's answer until the function returns.
  using Done = std::function<void(Slot* answer, bool ok)>;

  struct Message {
    PortNumber to;
    Op op;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::string target = {};  // the object's name, if any
    // `size` bytes for the slot's own buffer; they must be there until `done` is called.
    const void* copied = nullptr;
    std::uint64_t data = 0;  // or where in the segment the data is; 0: in the slot's own buffer
  };

  Peer(const std::string& segment, PortNumber port);
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Owns the port and works until Stop().
  void Run();
  void Stop() { stop_ = true; }

  /// Sends a request with the context of `trace`, both of which live until `done` was called; that is on
  /// the thread of Run(). Without a receiver for ten seconds it has failed.
  void Call(const Message& message, const Trace& trace, Done done);

 protected:
  /// Serves a request, now or later: Respond() ends it. On the thread of Run().
  virtual void Serve(Slot* slot) = 0;
  void Respond(Slot* slot, bool ok) { segment_.Respond(slot, ok); }

  /// The span of a request; it says so if an earlier owner of the port has begun to serve it.
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
  std::mutex mutex_;  // of what follows, up to the blank line
  std::vector<Slot*> free_;
  std::unordered_map<Slot*, Done> called_;
  std::deque<Waiting> waiting_;  // for a free slot

  std::vector<Slot*> unanswered_;          // that an earlier owner has left
  std::unordered_set<const Slot*> again_;  // the same, once they are queued again
  std::uint32_t predecessors_ = 0;         // slots that are still under way for an earlier owner
  Clock::time_point next_look_{};
  Clock::time_point last_seen_[kPorts];  // each receiver alive
};

/// Blocks SIGTERM and SIGINT; to be called before any thread is started.
void BlockSignals();
/// Runs `peer` until one of them comes.
void RunUntilSignal(Peer* peer);

/// The whole of a program that is a peer: a `PeerType` of these arguments, traced as `service`. What the
/// peer still finishes as it ends is traced, too.
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
