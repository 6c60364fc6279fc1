// SPDX-License-Identifier: Apache-2.0
// Lists the causes to which the time of a thread is attributed, and the reasons for which a cause
// may be unknown.
//
// Thread-safety: the functions are pure. Any thread may call them.
#ifndef TRACEKIN_ANALYSIS_CAUSE_H
#define TRACEKIN_ANALYSIS_CAUSE_H

#include <cstdint>

namespace tracekin::analysis {

/// The causes; docs/why.md explains each of them.
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

/// The reason for which the cause of some time is unknown.
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

/// The activity of a CPU while an event is recorded: the work of a thread, or an interruption of
/// it.
enum class Context : std::uint8_t {
  kTask,
  kIrq,
  kVector,  // an interrupt of the processor itself, for example of its timer
  kSoftirq,
  kHrtimer,    // the function of a high-resolution timer
  kTimer,      // the function of a timer
  kReception,  // the reception of packets
};

/// Returns the word for a cause that the JSON output uses, such as "running".
const char* Word(Cause cause);

/// Returns a phrase for a reason, such as "no kernel trace".
const char* Phrase(Reason reason);

/// Returns the kernel's name of a softirq vector, such as "NET_RX", or "?" for numbers above 9.
const char* SoftirqName(unsigned vector);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_CAUSE_H
