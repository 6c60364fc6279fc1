// SPDX-License-Identifier: Apache-2.0
// Keeps the calling thread from being cancelled (pthread_cancel), as long as it lives.
//
// Cancellation unwinds the stack, and ends the process where a function must not throw. So what is
// called by the application's threads and may come to a cancellation point (a wait, a file, a
// write) holds one of these; a thread that is cancelled meanwhile ends at its own next such point.
// Against asynchronous cancellation this is no help: a thread that allows that may be stopped
// between any two instructions.
//
// Thread-safety: concerns the calling thread alone. Costs two compare-and-swaps.
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
