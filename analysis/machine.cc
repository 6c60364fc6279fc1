// SPDX-License-Identifier: Apache-2.0
#include "analysis/machine.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

namespace tracekin::analysis {

namespace {

// The bits of sched_switch's prev_state that are in the kernel's TASK_REPORT. A higher bit means
// that the thread was preempted.
constexpr std::int64_t kReportedStates = 0xFF;
constexpr std::int64_t kEnded = 0x10 | 0x20;
constexpr std::int64_t kStopped = 0x4 | 0x8;  // stopped by a signal or a debugger

// A thread that is about to block may be woken by another CPU before it leaves its own. A wake-up
// that is older than this belongs to another wait.
constexpr Time kEarly = 1'000'000;

constexpr std::int64_t kTypeKernelThread = 1;
constexpr std::int64_t kThreadOfKernelThreads = 2;  // kthreadd: the parent of all others
enum ProcessStatus {
  kWaitFork = 1,
  kWaitCpu,
  kStatusExit,
  kZombie,
  kWaiting,
  kRunning,
  kDeadStatus
};

// The inode number of the first PID namespace, which is fixed in the kernel (PROC_PID_INIT_INO).
constexpr std::uint32_t kRootNamespace = 0xEFFFFFFC;

constexpr std::uint32_t kMaxCpus = 1 << 13;  // a damaged trace may contain any number

bool IsOfKernel(Kind kind) { return kind > Kind::kDiscarded && kind < Kind::kSpanStart; }

// Multiplies in 128 bits, because the product exceeds 64 bits after a few seconds.
Time ToTime(std::uint64_t cycles, const Clock& clock) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t ns =
      clock.frequency == kSecond || clock.frequency == 0
          ? cycles
          : static_cast<std::uint64_t>(Wide{cycles} * kSecond / clock.frequency);
  return ns + static_cast<std::uint64_t>(clock.offset_ns);
}

bool IsCallOfWaits(std::string_view name) {
  return std::find(std::begin(kCallsOfWaits), std::end(kCallsOfWaits), name) !=
         std::end(kCallsOfWaits);
}

// Returns whether the name is one that io_uring gives to its threads in programs. Such a thread
// never leaves the kernel, and no event shows its creation.
bool IsIoWorker(std::string_view name) {
  return name.substr(0, 8) == "iou-wrk-" || name.substr(0, 8) == "iou-sqp-";
}

std::int64_t OrZero(std::int64_t number) { return number == kAbsent ? 0 : number; }

}  // namespace

inline Host& Machine::HostOf(std::uint16_t host) {
  if (host >= timelines_.hosts.size()) AddHosts(host);
  return timelines_.hosts[host];
}

void Machine::SetHost(std::uint16_t host, const Clock& clock, bool kernel) {
  HostOf(host).clock = clock;
  HostOf(host).kernel = kernel;
}

void Machine::AddHosts(std::uint16_t host) {
  timelines_.hosts.resize(host + 1u);
  states_.resize(host + 1u);
}

inline Machine::Cpu& Machine::CpuOf(const Event& event) {
  const std::uint32_t cpu = std::min(event.cpu, kMaxCpus);
  if (event.host >= states_.size() || cpu >= states_[event.host].cpus.size()) {
    AddCpus(event.host, cpu);
  }
  return states_[event.host].cpus[cpu];
}

void Machine::AddCpus(std::uint16_t host, std::uint32_t cpu) {
  HostOf(host).turns.resize(cpu + 1);
  states_[host].cpus.resize(cpu + 1);
}

ThreadIndex Machine::Make(std::uint16_t host, std::int32_t tid) {
  if (timelines_.threads.size() >= limits_.threads) {
    ++counts_.threads_refused;
    return kNobody;
  }
  const auto index = static_cast<ThreadIndex>(timelines_.threads.size());
  timelines_.threads.emplace_back();
  timelines_.threads.back().tid = tid;
  timelines_.threads.back().host = host;
  live_.emplace_back();
  return index;
}

ThreadIndex Machine::Find(std::uint16_t host, std::int64_t tid) {
  if (tid == 0) return kIdle;
  if (tid < 0) return kNobody;
  auto& threads = states_[host].threads;
  const auto key = static_cast<std::int32_t>(tid);
  const auto known = threads.find(key);
  if (known != threads.end()) return known->second;
  const ThreadIndex made = Make(host, key);
  if (made != kNobody) threads.emplace(key, made);
  return made;
}

// Begins a segment of a thread. Replaces the last segment if its length is 0. Does nothing if the
// last segment has the same state.
void Machine::Enter(ThreadIndex thread, State state, std::uint32_t where, std::uint16_t what,
                    Context context) {
  if (!IsThread(thread)) return;
  auto& segments = timelines_.threads[thread].segments;
  Segment next{now_, where, what, state, context};
  if (segments_ >= limits_.segments) {
    ++counts_.segments_refused;
    next = {now_, kNoCpu, static_cast<std::uint16_t>(Reason::kLimit), State::kUnknown,
            Context::kTask};
  }
  if (!segments.empty()) {
    Segment& last = segments.back();
    if (last.state == next.state && last.where == next.where && last.what == next.what &&
        last.context == next.context) {
      return;
    }
    if (last.start == now_) {
      last = next;
      return;
    }
  }
  segments.push_back(next);
  ++segments_;
}

// Records the current activity of the CPU's thread. It is interrupted, in a system call or in user
// mode.
void Machine::Resume(const Event& event) {
  const Cpu& cpu = CpuOf(event);
  if (!IsThread(cpu.current)) return;
  const Live& live = live_[cpu.current];
  for (std::size_t level = cpu.levels.size(); level-- > 1;) {
    const Interruption& by = cpu.levels[level];
    if (by.context == Context::kReception) continue;  // counts as a part of the level below
    return Enter(cpu.current, State::kInterrupted, event.cpu, by.what, by.context);
  }
  if (live.in_call) return Enter(cpu.current, State::kSystem, event.cpu, live.asked.syscall);
  Enter(cpu.current, live.call_known ? State::kUser : State::kRunning, event.cpu, 0);
}

// Ends all levels whose index is at least `levels`. Level 0 is the thread itself and does not end,
// but its events are forgotten if `levels` is 0.
void Machine::Lower(Cpu* cpu, std::size_t levels) {
  cpu->levels.resize(levels, {Context::kTask, 0});
  if (levels == 0) cpu->levels.push_back({Context::kTask, 0});
  if (cpu->packet_level >= levels) cpu->packet.valid = false;
}

void Machine::SetCurrent(const Event& event, ThreadIndex thread) {
  Host& host = HostOf(event.host);
  HostState& state = states_[event.host];
  Cpu& cpu = CpuOf(event);
  const bool was = state.idle_cpus > 0;
  if (cpu.current == kIdle) --state.idle_cpus;
  if (thread == kIdle) ++state.idle_cpus;
  cpu.current = thread;
  if (segments_ < limits_.segments) {
    host.turns[std::min(event.cpu, kMaxCpus)].push_back({now_, thread});
    ++segments_;
  }
  const bool is = state.idle_cpus > 0;
  if (was != is) host.idleness.push_back({now_, is});
}

Time Machine::Take(const Event& event) {
  Host& host = HostOf(event.host);
  const Time time = ToTime(event.cycles, host.clock);
  ++counts_.events;
  if (time < host.last) ++counts_.backwards;
  host.last = now_ = std::max(time, host.last);
  if (event.kind == Kind::kDiscarded) {
    OnDiscarded(event);
  } else if (IsOfKernel(event.kind)) {
    host.first = std::min(host.first, now_);
    host.kernel = true;
    OnKernel(event);
  }
  return now_;
}

void Machine::OnKernel(const Event& event) {
  switch (event.kind) {
    case Kind::kSwitch:
      return OnSwitch(event);
    case Kind::kWaking:
      states_[event.host].has_waking = true;
      return OnWake(event);
    case Kind::kWakeup:
    case Kind::kWakeupNew:
    case Kind::kMigrate:
      return OnWake(event);
    case Kind::kFork:
      return OnFork(event);
    case Kind::kExec:
    case Kind::kExit:
    case Kind::kFree:
      return OnEnd(event);
    case Kind::kSyscallEntry:
    case Kind::kSyscallExit:
      return OnSyscall(event);
    case Kind::kBlockInsert:
    case Kind::kBlockIssue:
    case Kind::kBlockComplete:
      return OnBlock(event);
    case Kind::kPacketQueue:
    case Kind::kPacketReceive:
      return OnPacket(event);
    case Kind::kProcessState:
    case Kind::kPidNamespace:
    case Kind::kDiskName:
      return OnState(event);
    default:
      return OnInterrupt(event);
  }
}

void Machine::OnSwitch(const Event& event) {
  const ThreadIndex prev = Find(event.host, event.number[Switch::kPrevTid]);
  const ThreadIndex next = Find(event.host, event.number[Switch::kNextTid]);
  for (const auto& [thread, comm, prio] :
       {std::tuple(prev, Switch::kPrevComm, Switch::kPrevPrio),
        std::tuple(next, Switch::kNextComm, Switch::kNextPrio)}) {
    if (!IsThread(thread)) continue;
    Thread& known = timelines_.threads[thread];
    if (!event.text[comm].empty()) {
      const std::uint32_t name = timelines_.names.Number(event.text[comm]);
      if (name != known.name && IsIoWorker(event.text[comm])) known.kernel = true;
      known.name = name;
    }
    timelines_.threads[thread].priority = static_cast<std::int32_t>(event.number[prio]);
  }
  if (IsThread(prev)) SwitchOut(event, prev);
  SetCurrent(event, next);
  Cpu& cpu = CpuOf(event);
  Lower(&cpu, 0);  // a switch never happens within an interruption
  if (IsThread(next)) SwitchIn(event, next);
}

// The first switch of a CPU shows which thread has used the CPU since the recording began.
void Machine::SwitchOut(const Event& event, ThreadIndex thread) {
  const Host& host = HostOf(event.host);
  auto& segments = timelines_.threads[thread].segments;
  if (segments.empty() && CpuOf(event).current == kNobody) {
    segments.push_back({host.first, event.cpu, 0, State::kRunning, Context::kTask});
    ++segments_;
  }
  const std::int64_t state = event.number[Switch::kPrevState] & kReportedStates;
  if ((state & kEnded) != 0 || (state != 0 && live_[thread].ending)) {
    Enter(thread, State::kDead, kNoCpu, 0);
  } else if (state == 0) {
    Enter(thread, State::kPreempted, event.cpu, 0);
  } else {
    Block(event, thread);
  }
}

void Machine::Block(const Event& event, ThreadIndex thread) {
  Live& live = live_[thread];
  Wait wait;
  if (live.in_call) wait = live.asked;
  wait.in_user = live.call_known && !live.in_call && !timelines_.threads[thread].kernel &&
                 (event.number[Switch::kPrevState] & kStopped) == 0;
  if (segments_ >= limits_.segments) return Enter(thread, State::kUnknown, kNoCpu, 0);
  timelines_.waits.push_back(wait);
  const auto index = static_cast<std::uint32_t>(timelines_.waits.size() - 1);
  const bool woken = live.woken_early && now_ - live.woken_at < kEarly;
  if (!woken) return Enter(thread, State::kBlocked, index, 0);
  Enter(thread, State::kReady, event.cpu, 0);
  live.assumed_wait = index;
  live.assumed_segment = timelines_.threads[thread].segments.size() - 1;
}

// Blocks a thread that was assumed to be ready because it had been woken before it blocked. Another
// wake-up shows that the first one belonged to another wait, because the kernel records the waking
// of blocked threads only.
void Machine::BlockAfterAll(ThreadIndex thread) {
  Live& live = live_[thread];
  if (live.assumed_wait == kNoAssumption) return;
  auto& segments = timelines_.threads[thread].segments;
  segments_ -= segments.size() - live.assumed_segment - 1;
  segments.resize(live.assumed_segment + 1);
  Segment& segment = segments.back();
  segment = {segment.start, live.assumed_wait, 0, State::kBlocked, Context::kTask};
  live.assumed_wait = kNoAssumption;
}

void Machine::SwitchIn(const Event& event, ThreadIndex thread) {
  auto& segments = timelines_.threads[thread].segments;
  live_[thread].woken_early = false;
  live_[thread].assumed_wait = kNoAssumption;
  if (!segments.empty() && segments.back().state == State::kBlocked) {
    timelines_.waits[segments.back().where].reason = Reason::kNoWakeUp;
  }
  Resume(event);
}

void Machine::OnWake(const Event& event) {
  const ThreadIndex thread = Find(event.host, event.number[analysis::Wake::kTid]);
  if (!IsThread(thread)) return;
  auto& segments = timelines_.threads[thread].segments;
  const auto target = [&](int number) {
    const std::int64_t cpu = event.number[number];
    return cpu < 0 ? kNoCpu : static_cast<std::uint32_t>(cpu);
  };
  if (event.kind == Kind::kWaking) BlockAfterAll(thread);
  const State state = segments.empty() ? State::kUnknown : segments.back().state;
  if (event.kind == Kind::kMigrate) {
    if (state == State::kReady || state == State::kPreempted) {
      Enter(thread, state, target(Migrate::kToCpu), 0);
    }
    return;
  }
  if (segments.empty() && event.kind != Kind::kWakeupNew) {
    // The thread has had no events since the recording began, so it was blocked in all that time.
    const Host& host = HostOf(event.host);
    timelines_.waits.emplace_back();
    segments.push_back({host.first, static_cast<std::uint32_t>(timelines_.waits.size() - 1), 0,
                        State::kBlocked, Context::kTask});
    ++segments_;
  }
  const std::uint32_t cpu = target(analysis::Wake::kTargetCpu);
  if (!segments.empty() && segments.back().state == State::kBlocked) {
    Wake(event, thread);
    Enter(thread, State::kReady, cpu, 0);
  } else if (state == State::kReady || state == State::kUnknown) {
    if (cpu != kNoCpu) Enter(thread, State::kReady, cpu, 0);
  } else if (event.kind == Kind::kWaking && state != State::kDead && state != State::kPreempted) {
    live_[thread].woken_early = CpuOf(event).current != thread;
    live_[thread].woken_at = now_;
  }
}

// Returns the activity of a CPU.
WakeUp Machine::WakeUpOn(const Cpu& cpu) const {
  const Interruption& top = cpu.levels.back();
  WakeUp wake_up;
  wake_up.context = top.context;
  if (top.context == Context::kSoftirq) wake_up.vector = top.what;
  if (top.context == Context::kIrq || top.context == Context::kVector) {
    wake_up.name = timelines_.names[top.what];
  }
  wake_up.disk = std::any_of(cpu.levels.begin(), cpu.levels.end(),
                             [](const Interruption& level) { return level.disk; });
  wake_up.waker = cpu.current;
  if (IsThread(cpu.current) && live_[cpu.current].in_call) {
    wake_up.waker_call = timelines_.names[live_[cpu.current].asked.syscall];
  }
  return wake_up;
}

// Ends the wait that the thread is in.
void Machine::Wake(const Event& event, ThreadIndex thread) {
  Wait& wait = timelines_.waits[timelines_.threads[thread].segments.back().where];
  if (event.kind != Kind::kWaking && states_[event.host].has_waking) {
    // sched_waking was lost, and this event was recorded on the CPU that will run the thread.
    wait.reason = Reason::kNoWakeUp;
    return;
  }
  Cpu& cpu = CpuOf(event);
  const WakeUp wake_up = WakeUpOn(cpu);
  SetCause(wake_up, timelines_.names[wait.syscall], &wait);
  wait.what = cpu.levels.back().what;
  if (wake_up.disk) wait.request = KeepRequest(&cpu);
  if (wait.cause == Cause::kChild) wait.by = LeaderOf(wait.by);
  if (wait.cause == Cause::kNetwork && cpu.packet.valid) wait.packet = packets_.Keep(cpu.packet);
}

// Returns the index of the disk request that the CPU completed last. A request may wake several
// threads.
std::uint32_t Machine::KeepRequest(Cpu* cpu) {
  if (cpu->request_index == 0) {
    cpu->request_index = static_cast<std::uint32_t>(timelines_.requests.size());
    timelines_.requests.push_back(cpu->request);
  }
  return cpu->request_index;
}

// Returns the first thread of the thread's process, or `thread` if the first one is unknown. A
// process may end with any of its threads, but users know it by its first one.
ThreadIndex Machine::LeaderOf(ThreadIndex thread) const {
  const Thread& known = timelines_.threads[thread];
  const auto& threads = states_[known.host].threads;
  const auto leader = threads.find(known.pid);
  return leader == threads.end() ? thread : leader->second;
}

void Machine::OnFork(const Event& event) {
  const auto& number = event.number;
  if (number[Fork::kChildTid] <= 0) return;
  HostState& state = states_[event.host];
  state.threads.erase(
      static_cast<std::int32_t>(number[Fork::kChildTid]));  // the kernel may use an id again
  const ThreadIndex maker = Find(event.host, number[Fork::kParentTid]);
  const ThreadIndex child = Find(event.host, number[Fork::kChildTid]);
  if (!IsThread(child)) return;
  Thread& thread = timelines_.threads[child];
  if (number[Fork::kChildPid] > 0) thread.pid = static_cast<std::int32_t>(number[Fork::kChildPid]);
  thread.kernel = number[Fork::kParentTid] == kThreadOfKernelThreads;
  thread.name = timelines_.names.Number(event.text[Fork::kChildComm]);
  if (number[Fork::kChildNamespace] > 0) {
    state.namespaces[{static_cast<std::uint32_t>(number[Fork::kChildNamespace]),
                      static_cast<std::int32_t>(number[Fork::kChildVtid])}] = thread.tid;
  }
  thread.maker = maker;
  Enter(child, State::kReady, kNoCpu, 0);
}

void Machine::OnEnd(const Event& event) {
  const ThreadIndex thread = Find(event.host, event.number[Task::kTid]);
  if (!IsThread(thread)) return;
  if (event.kind == Kind::kExit) {
    live_[thread].ending = true;
  } else if (event.kind == Kind::kFree) {
    Enter(thread, State::kDead, kNoCpu, 0);
    states_[event.host].threads.erase(timelines_.threads[thread].tid);
  } else if (!event.text[Task::kComm].empty()) {
    const std::string_view file = event.text[Task::kComm];
    const std::string_view comm = file.substr(file.rfind('/') + 1).substr(0, 15);
    timelines_.threads[thread].name = timelines_.names.Number(comm);
  }
}

void Machine::OnInterrupt(const Event& event) {
  const auto name = [&] {
    return static_cast<std::uint16_t>(
        timelines_.names.Number(event.text[analysis::Interrupt::kName]));
  };
  switch (event.kind) {
    case Kind::kIrqEntry:
      return Interrupt(event, Context::kIrq, name());
    case Kind::kIrqExit:
      return Return(event, Context::kIrq);
    case Kind::kVectorEntry:
      return Interrupt(event, Context::kVector, name());
    case Kind::kVectorExit:
      return Return(event, Context::kVector);
    case Kind::kSoftirqEntry:
      return Interrupt(event, Context::kSoftirq,
                       static_cast<std::uint16_t>(event.number[Softirq::kVector]));
    case Kind::kSoftirqExit:
      return Return(event, Context::kSoftirq);
    case Kind::kHrtimerEntry:
      return Interrupt(event, Context::kHrtimer, 0);
    case Kind::kHrtimerExit:
      return Return(event, Context::kHrtimer);
    case Kind::kTimerEntry:
      return Interrupt(event, Context::kTimer, 0);
    case Kind::kTimerExit:
      return Return(event, Context::kTimer);
    case Kind::kReceptionEntry:
      return Interrupt(event, Context::kReception, 0);
    case Kind::kReceptionExit:
      return Return(event, Context::kReception);
    default:
      return;
  }
}

void Machine::Interrupt(const Event& event, Context context, std::uint16_t what) {
  constexpr std::size_t kDeepest = 16;  // if there are more levels, exits were lost
  Cpu& cpu = CpuOf(event);
  if (cpu.levels.size() >= kDeepest) Lower(&cpu, 0);
  cpu.levels.push_back({context, what});
  Resume(event);
}

// Ends the innermost level of this context. Also ends the levels above it, whose exits were lost.
void Machine::Return(const Event& event, Context context) {
  Cpu& cpu = CpuOf(event);
  for (std::size_t level = cpu.levels.size(); level-- > 1;) {
    if (cpu.levels[level].context != context) continue;
    Lower(&cpu, level);
    return Resume(event);
  }
}

void Machine::OnSyscall(const Event& event) {
  const Cpu& cpu = CpuOf(event);
  if (!IsThread(cpu.current)) return;
  Live& live = live_[cpu.current];
  live.in_call = event.kind == Kind::kSyscallEntry;
  // After a recorded call, the thread may be in a call that was not recorded.
  bool& all_calls = states_[event.host].all_calls;
  all_calls = all_calls || (live.in_call && !IsCallOfWaits(event.text[Syscall::kName]));
  live.call_known = all_calls;
  if (live.in_call) {
    const auto& number = event.number;
    live.asked = {};
    live.asked.syscall =
        static_cast<std::uint16_t>(timelines_.names.Number(event.text[Syscall::kName]));
    live.asked.timeout = number[Syscall::kTimeout];
    for (const int object : {Syscall::kAddress, Syscall::kFd, Syscall::kPid}) {
      if (live.asked.object == kAbsent) live.asked.object = number[object];
    }
  }
  Resume(event);
}

void Machine::OnBlock(const Event& event) {
  DiskRequests& requests = states_[event.host].requests;
  if (event.kind == Kind::kBlockInsert) return requests.Insert(event, now_);
  if (event.kind == Kind::kBlockIssue) return requests.Issue(event, now_);
  Cpu& cpu = CpuOf(event);
  const DiskRequest request = requests.Complete(event, now_);
  // A program's thread may complete a disk request by chance. The threads that it wakes later did
  // not wait for that request.
  Interruption& top = cpu.levels.back();
  const bool of_program = !IsThread(cpu.current) || !timelines_.threads[cpu.current].kernel;
  if (top.context == Context::kTask && of_program) return;
  top.disk = true;
  cpu.request = request;
  cpu.request_index = 0;
}

void Machine::OnPacket(const Event& event) {
  Cpu& cpu = CpuOf(event);
  if (event.kind == Kind::kPacketQueue) {
    const bool own = cpu.levels.size() == 1 && IsThread(cpu.current);
    return packets_.Send(event, own ? cpu.current : kNobody, now_);
  }
  cpu.packet = packets_.Receive(event);
  cpu.packet_level = cpu.levels.size() - 1;
}

void Machine::OnState(const Event& event) {
  const auto& number = event.number;
  if (event.kind == Kind::kDiskName) {
    HostOf(event.host).disks[static_cast<std::uint32_t>(number[DiskName::kDevice])] =
        timelines_.names.Number(event.text[DiskName::kName]);
    return;
  }
  if (event.kind == Kind::kPidNamespace) {
    states_[event.host].namespaces[{static_cast<std::uint32_t>(number[PidNamespace::kNamespace]),
                                    static_cast<std::int32_t>(number[PidNamespace::kVtid])}] =
        static_cast<std::int32_t>(number[PidNamespace::kTid]);
    return;
  }
  const ThreadIndex index = Find(event.host, number[ProcessState::kTid]);
  if (!IsThread(index)) return;
  Thread& thread = timelines_.threads[index];
  thread.pid = static_cast<std::int32_t>(number[ProcessState::kPid]);
  thread.kernel = number[ProcessState::kType] == kTypeKernelThread ||
                  number[ProcessState::kParentPid] == kThreadOfKernelThreads;
  if (thread.name == 0) thread.name = timelines_.names.Number(event.text[ProcessState::kName]);
  if (!thread.segments.empty()) return;  // earlier events are more exact
  if (number[ProcessState::kStatus] == kWaiting) Block(event, index);
}

// The thread that runs on the CPU and its context are unknown until the next event shows them.
void Machine::OnDiscarded(const Event& event) {
  Host& host = HostOf(event.host);
  // Adds unsigned numbers, because the numbers of a damaged trace may overflow.
  counts_.discarded = static_cast<std::int64_t>(
      static_cast<std::uint64_t>(counts_.discarded) +
      static_cast<std::uint64_t>(OrZero(event.number[Discarded::kEvents])));
  if (event.number[Discarded::kFromKernel] != 1) return;
  const std::int64_t cycles = event.number[Discarded::kBegin];
  const Time begin =
      cycles == kAbsent ? host.first : ToTime(static_cast<std::uint64_t>(cycles), host.clock);
  Cpu& cpu = CpuOf(event);
  auto& gaps = host.gaps[std::min(event.cpu, kMaxCpus)];
  const Time reached = gaps.empty() ? 0 : gaps.back().end;
  const Gap gap{std::clamp(begin, reached, now_), now_};
  if (gap.begin < gap.end) gaps.push_back(gap);
  const ThreadIndex thread = cpu.current;
  Lower(&cpu, 0);
  SetCurrent(event, kNobody);
  if (!IsThread(thread)) return;
  live_[thread] = {};
  const auto& segments = timelines_.threads[thread].segments;
  const bool elsewhere = segments.empty() || segments.back().where != event.cpu ||
                         segments.back().state == State::kBlocked;
  if (elsewhere) return;
  Enter(thread, State::kUnknown, kNoCpu, static_cast<std::uint16_t>(Reason::kDiscarded));
}

ThreadIndex Machine::ThreadOf(const Event& event) {
  HostState& state = states_[event.host];
  if (!HostOf(event.host).kernel) {
    const auto key = std::pair(event.pid_namespace, event.tid);
    const auto known = state.strangers.find(key);
    if (known != state.strangers.end()) return known->second;
    if (event.tid < 0) return kNobody;
    const ThreadIndex made = Make(event.host, event.tid);
    if (made == kNobody) return made;
    timelines_.threads[made].pid = event.pid;
    timelines_.threads[made].name = timelines_.names.Number(event.process);
    return state.strangers[key] = made;
  }
  if (event.pid_namespace == kRootNamespace && event.tid > 0) return Find(event.host, event.tid);
  const auto named = state.namespaces.find({event.pid_namespace, event.tid});
  if (event.pid_namespace != 0 && named != state.namespaces.end()) {
    return Find(event.host, named->second);
  }
  const ThreadIndex current = CpuOf(event).current;
  if (IsThread(current)) return current;
  return event.pid_namespace == 0 && event.tid > 0 ? Find(event.host, event.tid) : kNobody;
}

}  // namespace tracekin::analysis
