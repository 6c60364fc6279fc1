// SPDX-License-Identifier: Apache-2.0
// The kernel's threads and processors, moment by moment: events go in, timelines come out.
//
// A thread runs, is interrupted, is ready, or is blocked; sched_switch says which. What it asked
// for (the last system call) and what woke it (the context of sched_waking) are kept with each
// wait. What events do not tell stays unknown, with the reason. After R. Giraldeau, M. Dagenais,
// "Wait analysis of distributed systems using kernel tracing", TPDS 27(8), 2016, with causes told
// by more contexts.
//
// Memory: 16 bytes for each change of a thread's state and 72 for each wait, up to Limits; then the
// rest of the recording is unknown. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_MACHINE_H
#define TRACEKIN_ANALYSIS_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

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

  /// What was left out or does not fit together.
  struct Counts {
    std::uint64_t events = 0;
    std::int64_t discarded = 0;   // LTTng's counts may go back, so that this is a signed sum
    std::uint64_t backwards = 0;  // events that came before an earlier one of their host
    std::uint64_t segments_refused = 0;
    std::uint64_t threads_refused = 0;
  };

  Machine() : Machine(Limits()) {}
  explicit Machine(const Limits& limits)
      : limits_(limits), packets_(limits.packets, &timelines_.packets) {}

  Machine(const Machine&) = delete;  // packets_ points into it
  Machine& operator=(const Machine&) = delete;

  /// How the cycles of a host become time, and whether there are events of its kernel. Before the
  /// host's first event.
  void SetHost(std::uint16_t host, const Clock& clock, bool kernel);

  /// Takes the next event of its host, of whatever kind. Returns its time, which is never before
  /// the time of an earlier event of that host.
  Time Take(const Event& event);

  /// The thread that recorded an event of a program, right after Take(). By its PID namespace,
  /// where the kernel has told of that; otherwise it is the thread that has the CPU. Without a
  /// kernel trace the program's own word is all there is.
  ThreadIndex ThreadOf(const Event& event);

  const Timelines& timelines() const { return timelines_; }
  const Counts& counts() const { return counts_; }

 private:
  // One level of what interrupts a CPU's thread, with what happened in it so far.
  struct Interruption {
    Context context;
    std::uint16_t what;
    bool disk = false;
    std::uint32_t device = 0, sectors = 0;
    std::uint64_t sector = 0;
  };
  struct Cpu {
    ThreadIndex current = kNobody;
    std::vector<Interruption> levels{{Context::kTask, 0}};  // the first is the thread itself
    Packets::Received packet;                               // the last that was received
    std::size_t packet_level = 0;                           // at which of the levels
  };
  // What is known of a thread only while it lives.
  struct Live {
    Wait asked;  // the system call that it is in
    bool in_call = false;
    bool call_known = false;  // whether `in_call` is
    bool ending = false;
    bool woken_early = false;  // woken before it was off its CPU
    Time woken_at = 0;
  };
  struct HostState {
    std::vector<Cpu> cpus;
    std::unordered_map<std::int32_t, ThreadIndex> threads;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::int32_t> namespaces;  // inum, vtid -> tid
    std::map<std::pair<std::uint32_t, std::int32_t>, ThreadIndex>
        strangers;  // without a kernel trace
    unsigned idle_cpus = 0;
    bool has_waking = false;
  };

  Host& HostOf(std::uint16_t host);
  Cpu& CpuOf(const Event& event);
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
  void OnBlockComplete(const Event& event);
  void OnPacket(const Event& event);
  void OnState(const Event& event);
  void OnDiscarded(const Event& event);
  void Block(const Event& event, ThreadIndex thread);
  void Wake(const Event& event, ThreadIndex thread);
  WakeUp WakeUpOn(const Cpu& cpu, const Interruption* disk) const;

  const Limits limits_;
  Timelines timelines_;
  Counts counts_;
  std::vector<HostState> states_;  // by host
  std::vector<Live> live_;         // by thread
  Packets packets_;
  std::size_t segments_ = 0;
  Time now_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_MACHINE_H
