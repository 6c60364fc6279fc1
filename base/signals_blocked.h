// SPDX-License-Identifier: Apache-2.0
// Blocks all signals on the calling thread for the lifetime of an object. Threads that are started
// during that time inherit the signal mask, so the host's signal handlers never run on tracekin's
// threads.
//
// Thread-safety: affects only the calling thread.
#ifndef TRACEKIN_BASE_SIGNALS_BLOCKED_H
#define TRACEKIN_BASE_SIGNALS_BLOCKED_H

#include <pthread.h>
#include <signal.h>

namespace tracekin {

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_SIGNALS_BLOCKED_H
