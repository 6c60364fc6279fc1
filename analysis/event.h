// SPDX-License-Identifier: Apache-2.0
// The vocabulary between what reads traces and what analyses them: one event of the kernel or of a
// program, as plain numbers and text.
//
// A reader fills one Event again and again, without allocating memory, and gives it to the
// analysis. The text of an event belongs to the reader and is valid during that call. The names of
// events and fields below are those of lttng-modules 2.13 and of docs/ust-events.md; readers of
// other layouts translate.
//
// Thread-safety: plain data.
#ifndef TRACEKIN_ANALYSIS_EVENT_H
#define TRACEKIN_ANALYSIS_EVENT_H

#include <cstdint>
#include <limits>
#include <string_view>

namespace tracekin::analysis {

/// What happened. The struct that is named after each group says what its numbers and texts are.
enum class Kind : std::uint8_t {
  kOther,  // nothing that the analysis knows; passed over

  // About the recording: Discarded
  kDiscarded,

  // The scheduler: Switch, Wake, Migrate, Fork, Task
  kSwitch,     // sched_switch
  kWaking,     // sched_waking: in the context of what wakes
  kWakeup,     // sched_wakeup: perhaps on the woken thread's CPU, so the context is not the cause
  kWakeupNew,  // sched_wakeup_new
  kMigrate,    // sched_migrate_task
  kFork,       // sched_process_fork
  kExec,       // sched_process_exec
  kExit,       // sched_process_exit
  kFree,       // sched_process_free

  // What interrupts a thread: Interrupt, Softirq, Timer
  kIrqEntry,      // irq_handler_entry
  kIrqExit,       // irq_handler_exit
  kVectorEntry,   // x86_irq_vectors_*_entry: the name is what stands for the star
  kVectorExit,    // x86_irq_vectors_*_exit
  kSoftirqEntry,  // irq_softirq_entry
  kSoftirqExit,   // irq_softirq_exit
  kSoftirqRaise,  // irq_softirq_raise
  kHrtimerEntry,  // timer_hrtimer_expire_entry
  kHrtimerExit,   // timer_hrtimer_expire_exit
  kTimerEntry,    // timer_expire_entry
  kTimerExit,     // timer_expire_exit

  // What a thread asks of the kernel, or is made to take: Syscall, PageFault, Signal
  kSyscallEntry,    // syscall_entry_*, compat_syscall_entry_*
  kSyscallExit,     // syscall_exit_*, compat_syscall_exit_*
  kPageFault,       // x86_exceptions_page_fault_user, x86_exceptions_page_fault_kernel
  kSignalGenerate,  // signal_generate
  kSignalDeliver,   // signal_deliver

  // Disks and the network: Block, Packet
  kBlockIssue,      // block_rq_issue
  kBlockComplete,   // block_rq_complete
  kPacketQueue,     // net_dev_queue: a packet is sent
  kPacketReceive,   // net_if_receive_skb
  kReceptionEntry,  // net_*_receive*_entry, net_if_rx_entry: packets are taken in until the exit
  kReceptionExit,

  // What there was when the recording began: ProcessState, PidNamespace, DiskName, FileName
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

/// The value of a number that the trace does not have. A reader sets all numbers of the kind.
constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

/// Events that the tracer had no room for, on this CPU, before `cycles`.
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
struct Fork {  // the vtid is the innermost, that of the namespace kChildNamespace (child_ns_inum)
  enum Number { kParentTid, kParentPid, kChildTid, kChildPid, kChildNamespace, kChildVtid };
  enum Text { kChildComm };
};
struct Task {  // exec, exit, free; the text of exec is the file
  enum Number { kTid };
  enum Text { kComm };
};
struct Interrupt {
  enum Number { kIrq };  // a vector: absent
  enum Text { kName };
};
struct Softirq {
  enum Number { kVector };
};
struct Timer {
  enum Number { kAddress };
};
struct Syscall {  // entry: the arguments that it has; exit: kResult
  enum Number { kFd, kAddress, kOperation, kValue, kTimeout, kPid, kResult };
  enum Text { kName };  // without what stands before it, such as "futex"
};
struct PageFault {
  enum Number { kAddress, kError };
};
struct Signal {
  enum Number { kSignal, kTid };  // deliver: kTid is absent
};
struct Block {
  enum Number { kDevice, kSector, kSectors, kBytes, kFlags };  // flags: the field rwbs
  enum Text { kComm };
};
struct Packet {  // an IPv4 address is the low half of its address, with 0 as the high half
  enum Number {
    kProtocol,  // of IP: 6 TCP, 17 UDP
    kSourceHigh,
    kSourceLow,
    kTargetHigh,
    kTargetLow,
    kSourcePort,
    kTargetPort,
    kSequence,
    kAcknowledged,
    kFlags,
    kLength  // of UDP: what its header says; the packet's own differs from device to device
  };
};
struct ProcessState {
  enum Number { kTid, kPid, kParentPid, kStatus, kCpu, kType };  // kType: 1 is a kernel thread
  enum Text { kName };
};
struct PidNamespace {
  enum Number { kTid, kVtid, kVpid, kLevel, kNamespace };  // the field ns_inum
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
/// A record of BlkKin: ids as in Span. A timestamp has its event as kValue and an empty key.
struct Blkin {
  enum Number { kTraceHigh, kTraceLow, kSpan, kParent };
  enum Text { kOperation, kService, kKey, kValue };
};

struct Event {
  static constexpr int kNumbers = 11;
  static constexpr int kTexts = 5;

  std::uint64_t cycles = 0;  // the raw value of the host's clock; comparable within a host
  Kind kind = Kind::kOther;
  std::uint16_t host = 0;  // which clock: an index that the reader gives each uuid of a clock
  std::uint32_t cpu = 0;

  // Events of programs: the thread that recorded it, as its own PID namespace numbers it (the field
  // `tid`, or else the context vtid); -1, 0 and an empty name where the trace does not tell.
  std::int32_t tid = -1;
  std::int32_t pid = -1;            // the context vpid
  std::uint32_t pid_namespace = 0;  // the context pid_ns
  std::string_view process;         // the context procname

  std::int64_t number[kNumbers] = {};
  std::string_view text[kTexts] = {};
};

/// How the cycles of a host become calendar time.
struct Clock {
  std::uint64_t frequency = 1'000'000'000;  // cycles a second
  std::int64_t offset_ns = 0;               // what cycle 0 is, in ns since the Unix epoch
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_EVENT_H
