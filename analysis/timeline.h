// SPDX-License-Identifier: Apache-2.0
// What each thread and each processor did, from the beginning of a recording to its end: the result
// of the state machine (machine.h), and all that the critical path (critical_path.h) looks at.
//
// Times are ns since the Unix epoch, by the clock of the host, whose distance to the calendar is
// constant. Threads and waits are known by their index. Thread-safety: plain data.
#ifndef TRACEKIN_ANALYSIS_TIMELINE_H
#define TRACEKIN_ANALYSIS_TIMELINE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/cause.h"
#include "analysis/event.h"
#include "analysis/names.h"

namespace tracekin::analysis {

using Time = std::uint64_t;
using ThreadIndex = std::uint32_t;

constexpr ThreadIndex kNobody = 0xFFFFFFFF;  // not known
constexpr ThreadIndex kIdle = 0xFFFFFFFE;    // a processor without work
constexpr std::uint32_t kNoCpu = 0xFFFFFFFF;

/// Whether this is a thread, and not one of the two above.
constexpr bool IsThread(ThreadIndex thread) { return thread < kIdle; }

enum class State : std::uint8_t {
  kUnknown,
  kRunning,  // it is not known whether in a system call
  kUser,
  kSystem,
  kInterrupted,
  kPreempted,  // ready, since another thread took its processor
  kReady,      // ready, since it was woken or made
  kBlocked,
  kDead
};

/// From `start` to where the next one starts.
struct Segment {
  Time start = 0;
  std::uint32_t where = 0;  // blocked: the wait; otherwise the CPU, or kNoCpu
  std::uint16_t what =
      0;  // unknown: the Reason; system: the call's name; interrupted: see Part::what
  State state = State::kUnknown;
  Context context = Context::kTask;  // interrupted: by what
};
static_assert(sizeof(Segment) == 16, "a trace has millions of them");

/// Why a thread was blocked: what it had asked for, and what woke it.
struct Wait {
  std::int64_t object = kAbsent;   // of a futex its address, else a file descriptor or a process id
  std::int64_t timeout = kAbsent;  // as the call has it
  std::uint64_t sector = 0;        // disk
  std::uint32_t device = 0;        // disk: as dev_t of the kernel, major << 20 | minor
  std::uint32_t sectors = 0;
  std::uint32_t packet = 0;   // network: the packet's index in Timelines::packets, from 1; or 0
  ThreadIndex by = kNobody;   // who woke it, in the context of a thread
  std::uint16_t syscall = 0;  // a name, or 0: in none, or not known
  std::uint16_t what = 0;     // the interrupt that woke it: see Part::what
  Cause cause = Cause::kUnknown;
  Reason reason = Reason::kStillWaiting;
  Context context = Context::kTask;  // in which it was woken
  bool in_user = false;              // it was surely in no system call
};

/// A packet that was received: where it came from.
struct PacketSource {
  std::int64_t protocol = 0;
  std::int64_t address_high = 0, address_low = 0;  // as in Packet
  std::int64_t port = 0;
  std::uint32_t transmissions = 0;  // how often it was seen to be sent
  ThreadIndex sender = kNobody;     // kNobody if the kernel sent it by itself, or it is not known
  Time sent = 0;                    // when it was first sent; 0 if that is not known
};

struct Thread {
  std::int32_t tid = -1;
  std::int32_t pid = -1;
  std::int32_t priority = 0;  // the last that was seen: below 0 is real time
  std::uint32_t name = 0;
  ThreadIndex maker = kNobody;  // who forked it, if that was recorded
  std::uint16_t host = 0;
  bool kernel = false;  // a thread of the kernel's own
  std::vector<Segment> segments;
};

/// Since when a thread has a processor, or it is idle.
struct Turn {
  Time start;
  ThreadIndex thread;
};

/// Since when some processor of the host is idle, or none.
struct Idleness {
  Time start;
  bool idle;
};

/// Events of a CPU were lost.
struct Gap {
  Time begin, end;
};

struct Host {
  Clock clock;
  bool kernel = false;                   // whether there are events of the kernel
  Time first = ~Time{0};                 // of the kernel's events
  Time last = 0;                         // of all events
  std::vector<std::vector<Turn>> turns;  // by CPU
  std::vector<Idleness> idleness;
  std::map<std::uint32_t, std::vector<Gap>> gaps;  // by CPU, in the order of time
  std::map<std::uint32_t, std::uint32_t> disks;    // device -> name
};

struct Timelines {
  static constexpr std::size_t kMaxNames = 65535;  // a Segment has 16 bits for one

  std::vector<Host> hosts;
  std::vector<Thread> threads;
  std::vector<Wait> waits;
  std::vector<PacketSource> packets = std::vector<PacketSource>(1);
  Names names{kMaxNames};
};

/// The index of the last element of `items` with `start` <= time, or items.size() if there is none.
template <typename Item>
std::size_t IndexAt(const std::vector<Item>& items, Time time) {
  std::size_t low = 0, high = items.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (items[middle].start <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? items.size() : low - 1;
}

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_TIMELINE_H
