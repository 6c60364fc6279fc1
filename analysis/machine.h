// SPDX-License-Identifier: Apache-2.0
// A state machine that follows the kernel's threads and processors. It turns events into timelines.
//
// A thread is running, interrupted, ready or blocked, as sched_switch shows. For each wait, the
// machine stores the last system call of the thread, and the context of sched_waking in which it
// was woken. A state that the events do not show is unknown, and its reason is stored. The method
// is that of R. Giraldeau, M. Dagenais, "Wait analysis of distributed systems using kernel
// tracing", TPDS 27(8), 2016, but distinguishes more contexts.
//
// Memory: 16 bytes for each change of a thread's state and 56 bytes for each wait, up to Limits.
// States beyond the limits are unknown. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_MACHINE_H
#define TRACEKIN_ANALYSIS_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/disk_requests.h"
#include "analysis/event.h"
#include "analysis/packets.h"
#include "analysis/timeline.h"
#include "analysis/wake_up.h"

namespace tracekin::analysis {

class Machine {
 public:
  struct Limits {
    std::size_t segments = std::size_t{1} << 28;
    std::size_t threads = std::size_t{1} << 22;
    std::size_t packets = std::size_t{1} << 16;
  };

  /// Counts events, and data that was omitted or is inconsistent.
  struct Counts {
    std::uint64_t events = 0;
    std::int64_t discarded = 0;   // signed, because LTTng's counts may decrease
    std::uint64_t backwards = 0;  // events with an earlier time than their host's last event
    std::uint64_t segments_refused = 0;
    std::uint64_t threads_refused = 0;
  };

  Machine() : Machine(Limits()) {}
  explicit Machine(const Limits& limits)
      : limits_(limits), packets_(limits.packets, &timelines_.packets) {}

  Machine(const Machine&) = delete;  // packets_ points into this object
  Machine& operator=(const Machine&) = delete;

  /// Sets how to convert the cycles of a host to time, and whether the recording contains events of
  /// its kernel. REQUIRES: called before the first event of the host.
  void SetHost(std::uint16_t host, const Clock& clock, bool kernel);

  /// Processes the next event of its host, which may be of any kind. Returns its time, which is
  /// never before the time of an earlier event of that host.
  Time Take(const Event& event);

  /// Returns the thread that recorded an event of a program. Identifies it by its PID namespace if
  /// the kernel's events describe that namespace, and otherwise by the CPU on which it runs.
  /// Without a kernel trace, uses the ids that the program recorded.
  /// REQUIRES: called directly after Take() with the same event.
  ThreadIndex ThreadOf(const Event& event);

  const Timelines& timelines() const { return timelines_; }
  const Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kNoAssumption = 0xFFFFFFFF;
  static constexpr std::size_t kMaxRequests = std::size_t{1} << 16;

  // One level of nested interruptions of a CPU's thread.
  struct Interruption {
    Context context;
    std::uint16_t what;
    bool disk = false;  // true if a disk request was completed in it
  };
  struct Cpu {
    ThreadIndex current = kNobody;
    std::vector<Interruption> levels{{Context::kTask, 0}};  // the first is the thread itself
    Packets::Received packet;                               // the last packet that was received
    std::size_t packet_level = 0;                           // the level in which it was received
    DiskRequest request;  // the last disk request that was completed
    // The index of `request` in Timelines::requests, or 0 if it has not woken a thread.
    std::uint32_t request_index = 0;
  };
  // The state of a thread that is needed only while it lives.
  struct Live {
    Wait asked;  // the current system call and its arguments
    bool in_call = false;
    bool call_known = false;  // true if `in_call` is known
    bool ending = false;
    bool woken_early = false;  // woken by another CPU before it left its own
    Time woken_at = 0;
    // If it is ready only because it was woken early: the wait that it would be in otherwise, and
    // the segment in which this wait began.
    std::uint32_t assumed_wait = kNoAssumption;
    std::size_t assumed_segment = 0;
  };
  struct HostState {
    std::vector<Cpu> cpus;
    std::unordered_map<std::int32_t, ThreadIndex> threads;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::int32_t> namespaces;  // inum, vtid -> tid
    std::map<std::pair<std::uint32_t, std::int32_t>, ThreadIndex>
        strangers;  // threads of hosts without a kernel trace
    DiskRequests requests{kMaxRequests};
    unsigned idle_cpus = 0;
    bool has_waking = false;
    bool all_calls = false;  // true if calls other than kCallsOfWaits are recorded
  };

  Host& HostOf(std::uint16_t host);
  Cpu& CpuOf(const Event& event);
  void AddHosts(std::uint16_t host);
  void AddCpus(std::uint16_t host, std::uint32_t cpu);
  ThreadIndex Find(std::uint16_t host, std::int64_t tid);
  ThreadIndex LeaderOf(ThreadIndex thread) const;
  ThreadIndex Make(std::uint16_t host, std::int32_t tid);
  void Enter(ThreadIndex thread, State state, std::uint32_t where, std::uint16_t what,
             Context context = Context::kTask);
  void Resume(const Event& event);
  void Lower(Cpu* cpu, std::size_t levels);
  void SetCurrent(const Event& event, ThreadIndex thread);

  void OnKernel(const Event& event);
  void OnSwitch(const Event& event);
  void SwitchOut(const Event& event, ThreadIndex thread);
  void SwitchIn(const Event& event, ThreadIndex thread);
  void OnWake(const Event& event);
  void OnFork(const Event& event);
  void OnEnd(const Event& event);
  void OnInterrupt(const Event& event);
  void Interrupt(const Event& event, Context context, std::uint16_t what);
  void Return(const Event& event, Context context);
  void OnSyscall(const Event& event);
  void OnBlock(const Event& event);
  void OnPacket(const Event& event);
  void OnState(const Event& event);
  void OnDiscarded(const Event& event);
  void Block(const Event& event, ThreadIndex thread);
  void BlockAfterAll(ThreadIndex thread);
  void Wake(const Event& event, ThreadIndex thread);
  WakeUp WakeUpOn(const Cpu& cpu) const;
  std::uint32_t KeepRequest(Cpu* cpu);

  const Limits limits_;
  Timelines timelines_;
  Counts counts_;
  std::vector<HostState> states_;  // indexed by host
  std::vector<Live> live_;         // indexed by thread
  Packets packets_;
  std::size_t segments_ = 0;
  Time now_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_MACHINE_H
