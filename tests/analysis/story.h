// SPDX-License-Identifier: Apache-2.0
// Makes a fictitious recording, event by event, and returns the results of the analysis.
//
// Times are ns since the beginning, in ascending order. A thread is identified by its id, from
// which its name is derived: "t7". Each event of a thread is recorded on the CPU that it uses at
// that time. Thread-safety: none.
#ifndef TRACEKIN_TESTS_ANALYSIS_STORY_H
#define TRACEKIN_TESTS_ANALYSIS_STORY_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/engine.h"

namespace tracekin::analysis {

/// The states in which a thread leaves its CPU, as recorded by sched_switch.
enum LeaveState : std::int64_t { kReadyToRun = 0, kSleeps = 1, kSleepsDeeply = 2, kEnds = 0x10 };

class Story {
 public:
  static constexpr std::uint64_t kNone = static_cast<std::uint64_t>(kAbsent);

  /// The CPUs are idle at time 0. Without a kernel trace, only spans are recorded.
  explicit Story(std::uint32_t cpus = 2, bool kernel = true) : kernel_(kernel), current_(cpus) {
    engine_.SetHost(0, {}, kernel);
    for (std::uint32_t cpu = 0; kernel && cpu < cpus; ++cpu) Switch(0, cpu, 0, 0);
  }

  // The scheduler.

  /// The thread gets the CPU. The thread that used it before stays ready.
  void Runs(Time time, int thread, std::uint32_t cpu) { Switch(time, cpu, thread, kReadyToRun); }
  /// The thread leaves its CPU to `next`, or leaves it idle.
  void Blocks(Time time, int thread, int next = 0, std::int64_t state = kSleeps) {
    Switch(time, CpuOf(thread), next, state);
  }
  void Wakes(Time time, int waker, int thread) { WakesFrom(time, CpuOf(waker), thread); }
  void WakesFrom(Time time, std::uint32_t cpu, int thread) {
    Event& event = New(time, Kind::kWaking, cpu);
    event.number[Wake::kTid] = thread;
    event.number[Wake::kTargetCpu] = last_cpu_[thread];
    Tell();
  }
  void Migrates(Time time, int thread, std::uint32_t cpu) {
    Event& event = New(time, Kind::kMigrate, 0);
    event.number[Migrate::kTid] = thread;
    event.number[Migrate::kToCpu] = cpu;
    last_cpu_[thread] = cpu;
    Tell();
  }
  void Forks(Time time, int parent, int child) {
    Event& event = New(time, Kind::kFork, CpuOf(parent));
    event.number[Fork::kParentTid] = parent;
    event.number[Fork::kChildTid] = child;
    Name(Fork::kChildComm, child);
    Tell();
  }
  void Ends(Time time, int thread) {
    New(time, Kind::kExit, CpuOf(thread)).number[Task::kTid] = thread;
    Tell();
  }
  /// Gives a thread another name, before its first event.
  void IsNamed(int thread, const std::string& name) { names_[thread] = name; }
  /// There is a thread of the kernel's own.
  void IsKernels(int thread) {
    Event& event = New(now_, Kind::kProcessState, 0);
    event.number[ProcessState::kTid] = thread;
    event.number[ProcessState::kType] = 1;
    Tell();
  }

  // System calls of a thread.

  void Call(Time time, int thread, const char* name, std::int64_t object = kAbsent) {
    Event& event = New(time, Kind::kSyscallEntry, CpuOf(thread));
    event.text[Syscall::kName] = name;
    event.number[std::string_view(name) == "futex" ? Syscall::kAddress : Syscall::kFd] = object;
    Tell();
  }
  void Returns(Time time, int thread) {
    New(time, Kind::kSyscallExit, CpuOf(thread));
    Tell();
  }

  // Interruptions of a CPU. Simply() records the exit of each of them.

  void Irq(Time time, std::uint32_t cpu, const char* name) {
    New(time, Kind::kIrqEntry, cpu).text[Interrupt::kName] = name;
    Tell();
  }
  void Softirq(Time time, std::uint32_t cpu, int vector) {
    New(time, Kind::kSoftirqEntry, cpu).number[analysis::Softirq::kVector] = vector;
    Tell();
  }
  void Simply(Time time, Kind kind, std::uint32_t cpu) {
    New(time, kind, cpu);
    Tell();
  }
  void DiskDone(Time time, std::uint32_t cpu, std::int64_t sector) {
    Disk(time, Kind::kBlockComplete, cpu, sector);
  }
  void Disk(Time time, Kind kind, std::uint32_t cpu, std::int64_t sector,
            std::int64_t sectors = 0) {
    Event& event = New(time, kind, cpu);
    event.number[Block::kDevice] = 254 << 20;
    event.number[Block::kSector] = sector;
    event.number[Block::kSectors] = sectors;
    Tell();
  }
  /// A TCP packet from one port to another is sent or received on `cpu`.
  void Packet(Time time, Kind kind, std::uint32_t cpu, int from, int to, int sequence) {
    Event& event = New(time, kind, cpu);
    for (std::int64_t& number : event.number) number = 0;
    event.number[analysis::Packet::kProtocol] = 6;
    event.number[analysis::Packet::kSourceLow] = event.number[analysis::Packet::kTargetLow] =
        0x7F000001;
    event.number[analysis::Packet::kSourcePort] = from;
    event.number[analysis::Packet::kTargetPort] = to;
    event.number[analysis::Packet::kSequence] = sequence;
    event.number[analysis::Packet::kFlags] = 0x18;  // ACK, PSH
    Tell();
  }
  /// A network interrupt on that CPU receives a packet and wakes the thread.
  void Arrives(Time time, std::uint32_t cpu, int from, int to, int sequence, int thread) {
    Softirq(time, cpu, 3);
    Packet(time, Kind::kPacketReceive, cpu, from, to, sequence);
    WakesFrom(time, cpu, thread);
    Simply(time, Kind::kSoftirqExit, cpu);
  }
  /// A timer on that CPU wakes the thread.
  void Expires(Time time, std::uint32_t cpu, int thread) {
    Simply(time, Kind::kHrtimerEntry, cpu);
    WakesFrom(time, cpu, thread);
    Simply(time, Kind::kHrtimerExit, cpu);
  }
  void Lost(Time time, std::uint32_t cpu, Time begin) {
    Event& event = New(time, Kind::kDiscarded, cpu);
    event.number[Discarded::kEvents] = 7;
    event.number[Discarded::kBegin] = static_cast<std::int64_t>(begin);
    event.number[Discarded::kFromKernel] = 1;
    current_[cpu] = 0;
    Tell();
  }

  // Spans. Their ids are small numbers, and all of them belong to one trace.

  void Start(Time time, int thread, int span, int parent = 0, const char* kind = "") {
    Event& event = OfSpan(time, Kind::kSpanStart, thread, span);
    event.number[Span::kParent] = parent;
    event.text[Span::kService] = "shop";
    event.text[Span::kSpanKind] = kind;
    text_ = "op" + std::to_string(span);
    event.text[Span::kOperation] = text_;
    Tell();
  }
  void Finish(Time time, int thread, int span, std::int64_t duration = 0) {
    OfSpan(time, Kind::kSpanFinish, thread, span).number[Span::kDuration] = duration;
    Tell();
  }
  void Enters(Time time, int thread, int span) {
    OfSpan(time, Kind::kScopeEnter, thread, span);
    Tell();
  }
  void Leaves(Time time, int thread, int span) {
    OfSpan(time, Kind::kScopeExit, thread, span);
    Tell();
  }

  // Any other event: call New(), set the fields, and call Tell().

  Event& New(Time time, Kind kind, std::uint32_t cpu) {
    now_ = time;
    event_ = {};
    event_.cycles = time;
    event_.kind = kind;
    event_.cpu = cpu;
    for (std::int64_t& number : event_.number) number = kAbsent;
    return event_;
  }
  Event& OfSpan(Time time, Kind kind, int thread, int span) {
    Event& event = New(time, kind, kernel_ ? CpuOf(thread) : 0);
    event.tid = thread;
    event.pid = 1;
    event.process = "shop";
    event.number[Span::kTraceHigh] = 0;
    event.number[Span::kTraceLow] = 1;
    event.number[Span::kSpan] = span;
    return event;
  }
  void Tell() { engine_.Take(event_); }

  // The results of the analysis.

  /// Returns the engine after the last event.
  Engine& Done() {
    if (!done_) engine_.Finish();
    done_ = true;
    return engine_;
  }
  SpanIndex IndexOf(int span) {
    const auto& all = Done().spans().all();
    for (SpanIndex i = 0; i < all.size(); ++i) {
      if (all[i].ids.span == static_cast<std::uint64_t>(span)) return i;
    }
    return kNoSpan;
  }
  Explanation Explained(int span) { return Done().Why(IndexOf(span)); }

  /// Returns the parts of a span, such as "running 10; lock 30 t2 {running 30}; ready 5". A thread
  /// that worked for span 4 is shown as "t2/4", and queued time as "queued lock 30".
  std::string Why(int span) { return Text(Explained(span).parts); }

  std::string Text(const std::vector<Part>& parts) {
    std::string text;
    int depth = 0;
    for (const Part& part : parts) {
      while (depth < part.depth) ++depth, text += " {";
      while (depth > part.depth) --depth, text += '}';
      if (!text.empty() && text.back() != '{') text += "; ";
      text += TextOf(part);
    }
    while (depth-- > 0) text += '}';
    return text;
  }

 private:
  void Switch(Time time, std::uint32_t cpu, int next, std::int64_t state) {
    const int prev = current_[cpu];
    Event& event = New(time, Kind::kSwitch, cpu);
    event.number[analysis::Switch::kPrevTid] = prev;
    event.number[analysis::Switch::kPrevState] = state;
    event.number[analysis::Switch::kNextTid] = next;
    event.number[analysis::Switch::kPrevPrio] = event.number[analysis::Switch::kNextPrio] = 120;
    const std::string prev_name = NameOf(prev), next_name = NameOf(next);
    event.text[analysis::Switch::kPrevComm] = prev_name;
    event.text[analysis::Switch::kNextComm] = next_name;
    current_[cpu] = next;
    last_cpu_[next] = cpu;
    Tell();
  }
  std::string NameOf(int thread) const {
    const auto name = names_.find(thread);
    return name != names_.end() ? name->second : "t" + std::to_string(thread);
  }
  void Name(int text, int thread) {
    text_ = NameOf(thread);
    event_.text[text] = text_;
  }
  std::uint32_t CpuOf(int thread) const {
    for (std::uint32_t cpu = 0; cpu < current_.size(); ++cpu) {
      if (current_[cpu] == thread) return cpu;
    }
    return 0;
  }
  std::string TextOf(const Part& part) {
    const Timelines& timelines = Done().timelines();
    std::string text = part.queued ? "queued " : "";
    text += Word(part.cause);
    if (part.state == State::kSystem) text += ":" + std::string(timelines.names[part.what]);
    text += ' ' + std::to_string(part.length());
    if (IsThread(part.by)) text += " t" + std::to_string(timelines.threads[part.by].tid);
    if (part.by_span != kNoSpan) {
      text += '/' + std::to_string(Done().spans()[part.by_span].ids.span);
    }
    if (part.idle) text += " idle";
    if (part.reason != Reason::kNone) text += std::string(" (") + Phrase(part.reason) + ')';
    return text;
  }

  const bool kernel_;
  Engine engine_;
  Event event_;
  std::string text_;  // owns a text to which `event_` points
  Time now_ = 0;
  std::vector<int> current_;  // by CPU
  std::map<int, std::uint32_t> last_cpu_;
  std::map<int, std::string> names_;  // of threads that have another name than their id
  bool done_ = false;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_TESTS_ANALYSIS_STORY_H
