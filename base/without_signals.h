// SPDX-License-Identifier: Apache-2.0
// Hides the signals that a write may raise on the calling thread from the host: SIGPIPE if the
// reader is gone, and SIGXFSZ if a file may not grow.
//
// Thread-safety: an object belongs to the thread that makes it.
#ifndef TRACEKIN_BASE_WITHOUT_SIGNALS_H
#define TRACEKIN_BASE_WITHOUT_SIGNALS_H

#include <signal.h>
#include <time.h>

namespace tracekin {

class WithoutSignals {
 public:
  WithoutSignals() noexcept {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&raised_here_);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&pending, signal) == 0) sigaddset(&raised_here_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &raised_here_, &before_);
  }
  ~WithoutSignals() {
    const timespec at_once{};
    while (sigtimedwait(&raised_here_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t raised_here_;
  sigset_t before_;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_WITHOUT_SIGNALS_H
