// SPDX-License-Identifier: Apache-2.0
// Why a blocked thread had to wait, as told by the context in which it was woken.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_ANALYSIS_WAKE_UP_H
#define TRACEKIN_ANALYSIS_WAKE_UP_H

#include <string_view>

#include "analysis/timeline.h"

namespace tracekin::analysis {

/// What a CPU was doing when it woke a thread.
struct WakeUp {
  Context context = Context::kTask;
  unsigned vector = 0;          // of a softirq
  std::string_view name;        // of an irq or a vector
  bool disk = false;            // a request to a disk was completed in this context
  ThreadIndex waker = kNobody;  // the CPU's thread; kIdle, too
  std::string_view waker_call;  // the system call that it is in, or ""
};

/// Sets the cause, the reason and `by` of a wait. `call` is the system call that the thread is in,
/// or "". A disk's completion is known by the event in the same context, because drivers complete
/// requests in hard irqs, softirqs and threads alike; it comes before the context's name.
void SetCause(const WakeUp& wake_up, std::string_view call, Wait* wait);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_WAKE_UP_H
