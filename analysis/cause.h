// SPDX-License-Identifier: Apache-2.0
// What a thread's time can go to, and why it is sometimes not known.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_ANALYSIS_CAUSE_H
#define TRACEKIN_ANALYSIS_CAUSE_H

#include <cstdint>

namespace tracekin::analysis {

/// docs/why.md says what each one means.
enum class Cause : std::uint8_t {
  kUnknown,
  kRunning,
  kInterrupted,
  kPreempted,
  kReady,
  kLock,
  kThread,
  kChild,
  kDisk,
  kNetwork,
  kTimer,
  kFault,
  kInput,
  kCount
};

/// Why the cause of some time is not known.
enum class Reason : std::uint8_t {
  kNone,
  kNoKernelTrace,
  kBeforeRecording,
  kDiscarded,
  kUnknownThread,
  kUnknownWaker,
  kNoWakeUp,
  kStillWaiting,
  kThreadEnded,
  kLimit,
  kCount
};

/// What a CPU does while an event is recorded: the thread's own work, or what interrupts that.
enum class Context : std::uint8_t {
  kTask,
  kIrq,
  kVector,  // an interrupt of the processor's own, such as its timer's
  kSoftirq,
  kHrtimer,    // the function of a high-resolution timer
  kTimer,      // the function of a timer
  kReception,  // packets are taken in
};

/// One word, as the JSON has it: "running".
const char* Word(Cause cause);

/// A phrase, such as "no kernel trace".
const char* Phrase(Reason reason);

/// The kernel's name of a softirq vector, such as "NET_RX"; "?" above 9.
const char* SoftirqName(unsigned vector);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_CAUSE_H
