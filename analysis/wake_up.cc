// SPDX-License-Identifier: Apache-2.0
#include "analysis/wake_up.h"

namespace tracekin::analysis {

namespace {

enum SoftirqVector {
  kTimerSoftirq = 1,
  kNetTx,
  kNetRx,
  kBlockSoftirq,
  kIrqPoll,
  kHrtimerSoftirq = 8
};

bool Contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

template <typename... Words>
bool ContainsOne(std::string_view text, Words... words) {
  return (Contains(text, words) || ...);
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Returns whether only a timer or a signal can end the system call.
bool Sleeps(std::string_view call) { return call == "nanosleep" || call == "clock_nanosleep"; }

// Drivers choose the names of their interrupts. These words occur in the names that the drivers of
// Linux use.
Cause CauseOfIrq(std::string_view name) {
  if (ContainsOne(name, "i8042", "keyboard", "mouse", "touch")) return Cause::kInput;
  if (ContainsOne(name, "nvme", "ahci", "ata_", "mmc", "scsi")) return Cause::kDisk;
  if (ContainsOne(name, "timer", "hpet", "rtc")) return Cause::kTimer;
  return Cause::kUnknown;
}

Cause CauseOfSoftirq(unsigned vector) {
  switch (vector) {
    case kTimerSoftirq:
    case kHrtimerSoftirq:
      return Cause::kTimer;
    case kNetTx:
    case kNetRx:
      return Cause::kNetwork;
    case kBlockSoftirq:
    case kIrqPoll:
      return Cause::kDisk;
    default:
      return Cause::kUnknown;
  }
}

Cause CauseOfInterrupt(const WakeUp& wake_up) {
  switch (wake_up.context) {
    case Context::kHrtimer:
    case Context::kTimer:
      return Cause::kTimer;
    case Context::kReception:
      return Cause::kNetwork;
    case Context::kSoftirq:
      return CauseOfSoftirq(wake_up.vector);
    case Context::kVector:
      return Contains(wake_up.name, "timer") ? Cause::kTimer : Cause::kUnknown;
    case Context::kIrq:
      return CauseOfIrq(wake_up.name);
    case Context::kTask:
      break;
  }
  return Cause::kUnknown;
}

// A thread that ends also wakes the threads that wait for it with a futex, but this is not a lock
// that a thread holds.
Cause CauseByThread(const WakeUp& wake_up, std::string_view call) {
  if (StartsWith(call, "wait") || StartsWith(call, "clone") || call == "vfork")
    return Cause::kChild;
  if (StartsWith(call, "futex") && !StartsWith(wake_up.waker_call, "exit")) return Cause::kLock;
  return Cause::kThread;
}

}  // namespace

void SetCause(const WakeUp& wake_up, std::string_view call, Wait* wait) {
  wait->context = wake_up.context;
  if (wake_up.disk) {
    wait->cause = Cause::kDisk;
  } else if (wake_up.context != Context::kTask) {
    wait->cause = CauseOfInterrupt(wake_up);
  } else if (IsThread(wake_up.waker)) {
    wait->cause = CauseByThread(wake_up, call);
    wait->by = wake_up.waker;
  } else {
    wait->cause = Cause::kUnknown;
  }
  if (wait->cause == Cause::kUnknown && Sleeps(call)) wait->cause = Cause::kTimer;
  wait->reason = wait->cause == Cause::kUnknown ? Reason::kUnknownWaker : Reason::kNone;
  if (wait->in_user && wait->cause != Cause::kUnknown) wait->cause = Cause::kFault;
}

}  // namespace tracekin::analysis
