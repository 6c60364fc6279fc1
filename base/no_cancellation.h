// SPDX-License-Identifier: Apache-2.0
// Prevents cancellation (pthread_cancel) of the calling thread during its lifetime.
//
// Cancellation unwinds the stack, and terminates the process in a function that must not throw.
// Therefore code that application threads call, and that may reach a cancellation point (a wait,
// opening a file, a write), holds one of these. If the thread is cancelled during that time, it
// ends at its next cancellation point afterwards. This does not protect against asynchronous
// cancellation, which may stop a thread between any two instructions.
//
// Thread-safety: affects only the calling thread. Costs two compare-and-swaps.
#ifndef TRACEKIN_BASE_NO_CANCELLATION_H
#define TRACEKIN_BASE_NO_CANCELLATION_H

#include <pthread.h>

namespace tracekin {

class NoCancellation {
 public:
  NoCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_NO_CANCELLATION_H
