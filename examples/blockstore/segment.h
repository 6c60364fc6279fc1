// SPDX-License-Identifier: Apache-2.0
// The shared memory through which the peers talk: slots with a request and its buffer each, and a
// port for each peer with a queue of slots.
//
// A peer may be killed at any moment, between any two instructions, and be started again. For that
// everything that changes a slot's state and a queue is done under the lock of the queue's port, a
// robust mutex; one thing holds whenever that lock is free: a slot is in a port's queue if and only if
// its state says so. Who finds that the last holder died puts right what he left.
//
// Thread-safety: any method from any thread of any process.
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
  /// Opens the POSIX shared memory `name`, and makes it if there is none. Ends the program if it can't.
  explicit Segment(const std::string& name);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Slot* slot(std::uint32_t index) { return &memory_->slots[index]; }
  std::uint32_t IndexOf(const Slot* slot) const {
    return static_cast<std::uint32_t>(slot - memory_->slots);
  }
  /// Between addresses of this process and places in the segment.
  std::uint64_t PlaceOf(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - base());
  }
  char* At(std::uint64_t place) { return base() + place; }

  /// Makes the calling thread the owner of `port` for as long as it lives; waits for an earlier one's
  /// end.
  void Own(PortNumber port);
  bool HasOwner(PortNumber port);

  /// Gives a slot that the caller has to its receiver, or back to its sender.
  void Submit(Slot* slot);
  void Respond(Slot* slot, bool ok);

  /// Takes the next slot from a port's queue: a request to serve (kAccepted) or one of its own that is
  /// back. Waits for `timeout` at most; nullptr if there is none. `ok` tells of one that is back.
  Slot* Take(PortNumber port, std::chrono::milliseconds timeout, bool* ok);

  /// Takes back a slot of the caller's whose receiver is gone. False if it is not, or has answered.
  bool Cancel(Slot* slot);

  /// For the new owner of a port, before it takes anything: what an earlier one had accepted and not
  /// answered. Submit() queues it again.
  std::vector<Slot*> Unanswered(PortNumber port);

  /// For the new owner of a port: how many of its slots are still under way for an earlier one. Those
  /// that were in that one's hands become free.
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
    std::atomic<std::uint32_t> bell;  // a futex: rung with each slot that comes
    std::uint64_t head, tail;
    std::uint32_t queue[kSlots];  // a slot is in one queue at most
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
