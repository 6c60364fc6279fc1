// SPDX-License-Identifier: Apache-2.0
// Finds the cause of a thread's wait from the context in which the thread was woken.
//
// Thread-safety: the function only accesses its arguments.
#ifndef TRACEKIN_ANALYSIS_WAKE_UP_H
#define TRACEKIN_ANALYSIS_WAKE_UP_H

#include <string_view>

#include "analysis/timeline.h"

namespace tracekin::analysis {

/// The activity of a CPU when it woke a thread.
struct WakeUp {
  Context context = Context::kTask;
  unsigned vector = 0;          // the vector of a softirq
  std::string_view name;        // the name of an irq or a vector
  bool disk = false;            // a request to a disk was completed in this context
  ThreadIndex waker = kNobody;  // the CPU's thread; may be kIdle
  std::string_view waker_call;  // the waker's current system call, or ""
};

/// Sets the cause, the reason and `by` of a wait. `call` is the system call in which the thread is,
/// or "". A completed disk request in the same context takes precedence over the context itself,
/// because drivers complete requests in hard irqs, softirqs and threads.
void SetCause(const WakeUp& wake_up, std::string_view call, Wait* wait);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_WAKE_UP_H
