// SPDX-License-Identifier: Apache-2.0
// A lock for a few instructions of one span, which as a rule one thread uses.
//
// Uncontended it costs one atomic exchange, 5 ns, where a std::mutex costs 12; a span with three
// tags and a log takes it five times. When another thread holds it, it spins briefly and then
// sleeps, so that a holder that was preempted, perhaps by a real-time thread that waits here, gets
// the processor.
//
// The lock's word names the process of its holder. A thread that held the lock when its process
// forked does not exist in the child, and nobody would unlock it there, so the child takes such a
// lock over.
#ifndef TRACEKIN_BASE_SPIN_LOCK_H
#define TRACEKIN_BASE_SPIN_LOCK_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "base/fork_generation.h"

namespace tracekin {

/// Tells the processor that this is a spin loop.
inline void CpuRelax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class SpinLock {
 public:
  /// Returns whether the holder before has unlocked it. If not, that was a thread of the process
  /// that this one was forked from, and what the lock guards may be half changed.
  bool lock() noexcept {
    const std::uint32_t holder = holder_.exchange(ForkGeneration(), std::memory_order_acquire);
    return __builtin_expect(holder == kNobody, 1) || Wait(holder);
  }
  void unlock() noexcept { holder_.store(kNobody, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kNobody = 0;

  __attribute__((noinline)) bool Wait(std::uint32_t holder) noexcept {
    constexpr int kSpins = 100;
    const std::uint32_t us = ForkGeneration();
    for (int spins = 0; holder == us; ++spins) {
      if (spins < kSpins) {
        while (holder_.load(std::memory_order_relaxed) == us && ++spins < kSpins) CpuRelax();
      } else {
        // Not nanosleep(), at which the thread could be cancelled: callers are noexcept.
        const timespec nap{0, 50'000};
        syscall(SYS_nanosleep, &nap, nullptr);
      }
      holder = holder_.exchange(us, std::memory_order_acquire);
    }
    return holder == kNobody;
  }

  std::atomic<std::uint32_t> holder_{kNobody};  // ForkGeneration() of the holder's process
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_SPIN_LOCK_H
