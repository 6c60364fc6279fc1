// SPDX-License-Identifier: Apache-2.0
// The timelines of all threads and processors, from the beginning of a recording to its end. The
// state machine (machine.h) makes them, and the critical path (critical_path.h) uses only them.
//
// Times are ns since the Unix epoch, measured by the clock of the host. The offset of that clock
// from calendar time is constant. Threads and waits are identified by their index. Thread-safety:
// plain data.
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

constexpr ThreadIndex kNobody = 0xFFFFFFFF;  // an unknown thread
constexpr ThreadIndex kIdle = 0xFFFFFFFE;    // no thread, because the processor is idle
constexpr std::uint32_t kNoCpu = 0xFFFFFFFF;

/// Returns whether this is a thread, and not one of the two values above.
constexpr bool IsThread(ThreadIndex thread) { return thread < kIdle; }

enum class State : std::uint8_t {
  kUnknown,
  kRunning,  // running, but it is unknown whether in a system call
  kUser,
  kSystem,
  kInterrupted,
  kPreempted,  // ready, because another thread took its processor
  kReady,      // ready, because it was woken or created
  kBlocked,
  kDead
};

/// A state of a thread from `start` until the start of the next segment.
struct Segment {
  Time start = 0;
  std::uint32_t where = 0;  // if blocked: the wait; otherwise the CPU, or kNoCpu
  // kUnknown: the Reason. kSystem: the name of the system call. kInterrupted: see Part::what.
  std::uint16_t what = 0;
  State state = State::kUnknown;
  Context context = Context::kTask;  // the kind of interruption, if it is interrupted
};
static_assert(sizeof(Segment) == 16, "a trace has millions of them");

/// The cause of a wait: the system call of the thread, and the context in which it was woken.
struct Wait {
  std::int64_t object = kAbsent;   // the address of a futex, a file descriptor or a process id
  std::int64_t timeout = kAbsent;  // the raw argument of the system call
  std::uint32_t request = 0;       // for disks: index in Timelines::requests, from 1; otherwise 0
  std::uint32_t packet = 0;   // for the network: index in Timelines::packets, from 1; otherwise 0
  ThreadIndex by = kNobody;   // the thread that woke it, if it was woken by a thread
  std::uint16_t syscall = 0;  // the name of the system call; 0 if there is none or it is unknown
  std::uint16_t what = 0;     // the interrupt that woke it; see Part::what
  Cause cause = Cause::kUnknown;
  Reason reason = Reason::kStillWaiting;
  Context context = Context::kTask;  // the context in which it was woken
  bool in_user = false;              // true if it certainly was not in a system call
};

/// The origin of a packet that was received.
struct PacketSource {
  std::int64_t protocol = 0;
  std::int64_t address_high = 0, address_low = 0;  // the same form as in Packet
  std::int64_t port = 0;
  std::uint32_t transmissions = 0;  // number of times that it was sent, according to the trace
  ThreadIndex sender = kNobody;     // kNobody if it is unknown or the kernel itself sent the packet
  Time sent = 0;                    // time when it was first sent; 0 if unknown
};

/// A request to a disk that was completed.
struct DiskRequest {
  Time inserted = 0;  // time of insertion into a queue of the kernel; 0 if none or unknown
  Time issued = 0;    // time of issue to the device; 0 if unknown
  Time completed = 0;
  std::uint64_t sector = 0;
  std::uint32_t device = 0;  // the kernel's dev_t, major << 20 | minor
  std::uint32_t sectors = 0;
};

struct Thread {
  std::int32_t tid = -1;
  std::int32_t pid = -1;
  std::int32_t priority = 0;  // the last known priority; below 0 for real-time threads
  std::uint32_t name = 0;
  ThreadIndex maker = kNobody;  // the thread that forked it, if that was recorded
  std::uint16_t host = 0;
  bool kernel = false;  // true for a kernel thread
  std::vector<Segment> segments;
};

/// The time at which a thread began to run on a processor, or at which the processor became idle.
struct Turn {
  Time start;
  ThreadIndex thread;
};

/// The time at which the first processor of the host became idle, or at which the last one became
/// busy.
struct Idleness {
  Time start;
  bool idle;
};

/// A period in which events of a CPU were lost.
struct Gap {
  Time begin, end;
};

struct Host {
  Clock clock;
  bool kernel = false;                   // true if the recording contains events of the kernel
  Time first = ~Time{0};                 // the time of the first event of the kernel
  Time last = 0;                         // the time of the last event
  std::vector<std::vector<Turn>> turns;  // by CPU
  std::vector<Idleness> idleness;
  std::map<std::uint32_t, std::vector<Gap>> gaps;  // by CPU, in the order of time
  std::map<std::uint32_t, std::uint32_t> disks;    // device -> name
};

struct Timelines {
  static constexpr std::size_t kMaxNames = 65535;  // a Segment stores a name in 16 bits

  std::vector<Host> hosts;
  std::vector<Thread> threads;
  std::vector<Wait> waits;
  std::vector<PacketSource> packets = std::vector<PacketSource>(1);
  std::vector<DiskRequest> requests = std::vector<DiskRequest>(1);
  Names names{kMaxNames};
};

/// Returns the index of the last element of `items` with `start` <= time, or items.size() if there
/// is no such element.
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

/// Returns the same as IndexAt(). Is faster if the result is `near` or the next index.
template <typename Item>
std::size_t IndexNear(const std::vector<Item>& items, std::size_t near, Time time) {
  for (std::size_t i = near; i < items.size() && i < near + 2 && items[i].start <= time; ++i) {
    if (i + 1 == items.size() || items[i + 1].start > time) return i;
  }
  return IndexAt(items, time);
}

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_TIMELINE_H
