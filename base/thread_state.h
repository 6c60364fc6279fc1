// SPDX-License-Identifier: Apache-2.0
// What tracekin keeps per thread: the id generator, the thread's id for the kernel, its place among
// the sharded counters and queues, its active span, and the offset between its clocks.
//
// Plain data without destructor, so that spans may still be finished while a thread's other
// thread_locals are being destroyed. Only the owning thread touches it. The child of a fork renews
// the state of the one thread that it has (fork.cc).
#ifndef TRACEKIN_BASE_THREAD_STATE_H
#define TRACEKIN_BASE_THREAD_STATE_H

#include <atomic>
#include <cstdint>

namespace tracekin {

struct ScopeNode;

struct ThreadState {
  std::uint64_t random[2];      // xorshift128+, never both 0 once ready
  std::int64_t wall_offset;     // ns; what to add to the steady clock, see clock.h
  std::int64_t wall_offset_at;  // steady time of its measurement
  ScopeNode* active;            // innermost; see scope.cc
  std::uint32_t shard;          // of this thread, from 0; below 2^31 no two have the same
  std::int32_t tid;             // gettid(), 0 until it is asked for: a system call of 107 ns
  bool ready;
  bool leaves_scopes;  // at its end; see scope.cc
};

// initial-exec: one instruction instead of a call to __tls_get_addr; these bytes come out of the
// surplus that glibc keeps for libraries loaded by dlopen. __thread and not thread_local, which
// would call a function at each use to learn that there is nothing to initialise.
extern __thread ThreadState thread_state __attribute__((tls_model("initial-exec")));

namespace internal {
/// How many threads of this process have made their state ready. Of 64 bits, for the number of a
/// thread must not become that of another: the first threads count in memory that they do not
/// share.
extern std::atomic<std::uint64_t> threads_seen;
}  // namespace internal

void MakeThreadStateReady() noexcept;

/// New random numbers and thread id for the one thread of a forked child.
void RenewThreadStateAfterFork() noexcept;

inline ThreadState& ThisThread() noexcept {
  ThreadState& state = thread_state;
  if (__builtin_expect(!state.ready, 0)) MakeThreadStateReady();
  return state;
}

/// The calling thread's id as the kernel knows it.
std::int32_t ThreadId() noexcept;

/// A random id in [1, 2^63), so that consumers with signed integers (Java, BlkKin) agree with us.
/// xorshift128+ (Vigna, "Further scramblings of Marsaglia's xorshift generators", 2014): ids must
/// be unique, not secret.
inline std::uint64_t RandomId(ThreadState& state) noexcept {
  std::uint64_t id;
  do {
    std::uint64_t x = state.random[0];
    const std::uint64_t y = state.random[1];
    state.random[0] = y;
    x ^= x << 23;
    state.random[1] = x ^ y ^ (x >> 17) ^ (y >> 26);
    id = (state.random[1] + y) >> 1;  // the lowest bit is the weakest
  } while (id == 0);
  return id;
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_THREAD_STATE_H
