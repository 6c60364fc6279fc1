// SPDX-License-Identifier: Apache-2.0
// The shared memory through which the peers communicate: slots with a request and its buffer each,
// and a port with a queue of slots for each peer.
//
// A peer may be killed between any two instructions and be started again. Therefore every change of
// a slot's state and of a queue is made under the lock of the queue's port, a robust mutex. One
// invariant holds whenever that lock is free: a slot is in a port's queue if and only if its state
// says so. A locker that finds that the last holder died restores this invariant.
//
// Thread-safety: any thread of any process may call any method.
#ifndef TRACEKIN_EXAMPLES_BLOCKSTORE_SEGMENT_H
#define TRACEKIN_EXAMPLES_BLOCKSTORE_SEGMENT_H

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "request.h"

namespace blockstore {

enum PortNumber : std::uint32_t { kNbd, kVlmc, kMapper, kStore };
constexpr std::uint32_t kPorts = 4;

constexpr std::uint32_t kSlotsOfAPort = 64;
constexpr std::uint32_t kSlots = kPorts * kSlotsOfAPort;
constexpr std::size_t kMaxData = 128 * 1024;
constexpr std::size_t kMaxTarget = 64;

struct Slot {
  Request request;
  char target[kMaxTarget];
  alignas(4096) char data[kMaxData];
};

class Segment {
 public:
  /// Opens the POSIX shared memory `name`, or creates it. Ends the program on failure.
  explicit Segment(const std::string& name);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Slot* slot(std::uint32_t index) { return &memory_->slots[index]; }
  std::uint32_t IndexOf(const Slot* slot) const {
    return static_cast<std::uint32_t>(slot - memory_->slots);
  }
  /// Converts addresses of this process to places in the segment.
  std::uint64_t PlaceOf(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - base());
  }
  char* At(std::uint64_t place) { return base() + place; }

  /// Makes the calling thread the owner of `port` for as long as the thread lives; waits until an
  /// earlier owner ends.
  void Own(PortNumber port);
  bool HasOwner(PortNumber port);

  /// Hands a slot that the caller holds to its receiver, or back to its sender.
  void Submit(Slot* slot);
  void Respond(Slot* slot, bool ok);

  /// Takes the next slot from a port's queue: a request to serve (kAccepted) or one of its own
  /// requests that was answered. Waits for at most `timeout` and returns nullptr if the queue stays
  /// empty. For an answered request, `ok` is its result.
  Slot* Take(PortNumber port, std::chrono::milliseconds timeout, bool* ok);

  /// Reclaims a slot of the caller whose receiver is gone. Returns false if the receiver is alive
  /// or has answered.
  bool Cancel(Slot* slot);

  /// Returns the requests that an earlier owner had accepted and not answered. A new owner of the
  /// port calls this before it takes any slot. Submit() queues such a request again.
  std::vector<Slot*> Unanswered(PortNumber port);

  /// Returns how many of the port's slots are still in use for an earlier owner, and frees those
  /// that it had taken back. The new owner of the port calls this.
  std::uint32_t Adopt(PortNumber port);

 private:
  class Lock;

  char* base() { return reinterpret_cast<char*>(memory_); }
  const char* base() const { return reinterpret_cast<const char*>(memory_); }
  void Initialise();
  bool TryOwn(std::uint32_t port);
  void Queue(Slot* slot, State state, std::uint32_t port);
  void Repair(std::uint32_t port);
  bool BelongsTo(const Slot& slot, std::uint32_t port) const;

  struct Port {
    pthread_mutex_t owner;
    pthread_mutex_t lock;
    std::atomic<std::uint32_t> bell;  // a futex, woken for each slot that arrives
    std::uint64_t head, tail;
    std::uint32_t queue[kSlots];  // a slot is in at most one queue
  };
  struct Memory {
    std::atomic<std::uint32_t> ready;
    Port ports[kPorts];
    Slot slots[kSlots];
  };

  Memory* memory_;
};

}  // namespace blockstore

#endif  // TRACEKIN_EXAMPLES_BLOCKSTORE_SEGMENT_H
