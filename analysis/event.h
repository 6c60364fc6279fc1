// SPDX-License-Identifier: Apache-2.0
// Defines the events that the readers of traces pass to the analysis. An Event is one event of the
// kernel or of a program, as plain numbers and text.
//
// A reader reuses one Event without allocating memory, and passes it to the analysis. The text of
// an event belongs to the reader and is valid during that call. The names of events and fields
// below are those of lttng-modules 2.13 and of docs/ust-events.md. Readers of other layouts
// translate them.
//
// Thread-safety: plain data.
#ifndef TRACEKIN_ANALYSIS_EVENT_H
#define TRACEKIN_ANALYSIS_EVENT_H

#include <cstdint>
#include <limits>
#include <string_view>

namespace tracekin::analysis {

/// The kinds of events. The comment above each group names the structs that define the numbers and
/// the texts of its events.
enum class Kind : std::uint8_t {
  kOther,  // an event that the analysis does not know and ignores

  // About the recording: Discarded
  kDiscarded,

  // The scheduler: Switch, Wake, Migrate, Fork, Task
  kSwitch,     // sched_switch
  kWaking,     // sched_waking: recorded in the context that wakes the thread
  kWakeup,     // sched_wakeup: may be recorded on the woken thread's CPU, so not in that context
  kWakeupNew,  // sched_wakeup_new
  kMigrate,    // sched_migrate_task
  kFork,       // sched_process_fork
  kExec,       // sched_process_exec
  kExit,       // sched_process_exit
  kFree,       // sched_process_free

  // Interruptions of a thread: Interrupt, Softirq, Timer
  kIrqEntry,      // irq_handler_entry
  kIrqExit,       // irq_handler_exit
  kVectorEntry,   // x86_irq_vectors_*_entry: the name is the part that the star stands for
  kVectorExit,    // x86_irq_vectors_*_exit
  kSoftirqEntry,  // irq_softirq_entry
  kSoftirqExit,   // irq_softirq_exit
  kSoftirqRaise,  // irq_softirq_raise
  kHrtimerEntry,  // timer_hrtimer_expire_entry
  kHrtimerExit,   // timer_hrtimer_expire_exit
  kTimerEntry,    // timer_expire_entry
  kTimerExit,     // timer_expire_exit

  // System calls, page faults and signals: Syscall, PageFault, Signal
  kSyscallEntry,    // syscall_entry_*, compat_syscall_entry_*
  kSyscallExit,     // syscall_exit_*, compat_syscall_exit_*
  kPageFault,       // x86_exceptions_page_fault_user, x86_exceptions_page_fault_kernel
  kSignalGenerate,  // signal_generate
  kSignalDeliver,   // signal_deliver

  // Disks and the network: Block, Packet
  kBlockInsert,     // block_rq_insert: the request is put into a queue of the kernel
  kBlockIssue,      // block_rq_issue: the request is passed to the device
  kBlockComplete,   // block_rq_complete
  kPacketQueue,     // net_dev_queue: a packet is sent
  kPacketReceive,   // net_if_receive_skb
  kReceptionEntry,  // net_*_receive*_entry, net_if_rx_entry: packets are received until the exit
  kReceptionExit,

  // The state when the recording began: ProcessState, PidNamespace, DiskName, FileName
  kProcessState,  // lttng_statedump_process_state
  kPidNamespace,  // lttng_statedump_process_pid_ns
  kDiskName,      // lttng_statedump_block_device
  kFileName,      // lttng_statedump_file_descriptor

  // Programs: Span, Blkin
  kSpanStart,   // tracekin:span_start, jaeger_ust:start_span
  kSpanFinish,  // tracekin:span_finish, jaeger_ust:end_span
  kSpanLog,     // tracekin:span_log, span_log_info, span_log_warning, span_log_error
  kScopeEnter,  // tracekin:scope_enter
  kScopeExit,   // tracekin:scope_exit
  kBlkin,       // zipkin:timestamp, keyval, keyval_string, keyval_integer

  kCount
};

/// The value of a number that the trace does not contain. A reader sets all numbers that the
/// event's kind defines.
constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

/// Events of this CPU that the tracer discarded before `cycles`, because it had no room for them.
struct Discarded {
  enum Number {
    kEvents,
    kBegin,
    kFromKernel
  };  // signed count; cycles at which the gap begins; 0 or 1
};
struct Switch {
  enum Number { kPrevTid, kPrevPrio, kPrevState, kNextTid, kNextPrio };
  enum Text { kPrevComm, kNextComm };
};
struct Wake {
  enum Number { kTid, kPrio, kTargetCpu };
  enum Text { kComm };
};
struct Migrate {
  enum Number { kTid, kFromCpu, kToCpu };
};
struct Fork {  // the vtid in the innermost namespace, which is kChildNamespace (child_ns_inum)
  enum Number { kParentTid, kParentPid, kChildTid, kChildPid, kChildNamespace, kChildVtid };
  enum Text { kChildComm };
};
struct Task {  // exec, exit, free; the text of exec is the name of the file
  enum Number { kTid };
  enum Text { kComm };
};
struct Interrupt {
  enum Number { kIrq };  // absent for vectors
  enum Text { kName };
};
struct Softirq {
  enum Number { kVector };
};
struct Timer {
  enum Number { kAddress };
};
struct Syscall {  // entry: the arguments of the call; exit: kResult
  enum Number { kFd, kAddress, kOperation, kValue, kTimeout, kPid, kResult };
  enum Text { kName };  // the name without the prefix of the event's name, such as "futex"
};
/// The system calls from which the analysis determines the causes of waits. They are rare or block,
/// so a recording of these calls alone is cheap. A recording may also contain all other calls.
constexpr std::string_view kCallsOfWaits[] = {
    "futex", "futex_waitv", "wait4", "waitid", "nanosleep", "clock_nanosleep",
    "clone", "clone3",      "vfork", "exit",   "exit_group"};
struct PageFault {
  enum Number { kAddress, kError };
};
struct Signal {
  enum Number { kSignal, kTid };  // kTid is absent for kSignalDeliver
};
struct Block {
  enum Number { kDevice, kSector, kSectors, kBytes, kFlags };  // flags: the field rwbs
  enum Text { kComm };
};
struct Packet {  // an IPv4 address is stored in the low half of an address, and the high half is 0
  enum Number {
    kProtocol,  // the IP protocol number: 6 for TCP, 17 for UDP
    kSourceHigh,
    kSourceLow,
    kTargetHigh,
    kTargetLow,
    kSourcePort,
    kTargetPort,
    kSequence,
    kAcknowledged,
    kFlags,
    kLength  // for UDP: the length in its header; the packet's own length depends on the device
  };
};
struct ProcessState {
  enum Number { kTid, kPid, kParentPid, kStatus, kCpu, kType };  // kType: 1 for a kernel thread
  enum Text { kName };
};
struct PidNamespace {
  enum Number { kTid, kVtid, kVpid, kLevel, kNamespace };  // kNamespace: the field ns_inum
};
struct DiskName {
  enum Number { kDevice };
  enum Text { kName };
};
struct FileName {
  enum Number { kPid, kFd };
  enum Text { kName };
};
struct Span {
  enum Number { kTraceHigh, kTraceLow, kSpan, kParent, kStartTime, kDuration, kError, kSeverity };
  enum Text { kOperation, kService, kSpanKind, kTags, kMessage };
};
/// The severity of a log.
enum Severity { kDebug, kInfo, kWarning, kSevere };
/// A record of BlkKin, with the same ids as in Span. The kValue of a timestamp is its event, and
/// the key is empty.
struct Blkin {
  enum Number { kTraceHigh, kTraceLow, kSpan, kParent };
  enum Text { kOperation, kService, kKey, kValue };
};

struct Event {
  static constexpr int kNumbers = 11;
  static constexpr int kTexts = 5;

  std::uint64_t cycles = 0;  // raw value of the host's clock; only comparable within a host
  Kind kind = Kind::kOther;
  std::uint16_t host = 0;  // identifies the clock: the reader's index of the clock's uuid
  std::uint32_t cpu = 0;

  // For events of programs: the thread that recorded the event. The fields are -1, 0 or empty if
  // the trace does not contain them. `tid` is the thread's number in its own PID namespace, from
  // the field `tid` or otherwise from the context vtid.
  std::int32_t tid = -1;
  std::int32_t pid = -1;            // the context vpid
  std::uint32_t pid_namespace = 0;  // the context pid_ns
  std::string_view process;         // the context procname

  std::int64_t number[kNumbers] = {};
  std::string_view text[kTexts] = {};
};

/// Defines how the cycles of a host are converted to calendar time.
struct Clock {
  std::uint64_t frequency = 1'000'000'000;  // cycles per second
  std::int64_t offset_ns = 0;               // the time of cycle 0, in ns since the Unix epoch
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_EVENT_H
