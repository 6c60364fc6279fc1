// SPDX-License-Identifier: Apache-2.0
// The state that tracekin keeps per thread: the id generator, the kernel's thread id, the index of
// its shard of counters and queues, its active span, and the offset between its clocks.
//
// Plain data without a destructor, so that spans may still be finished while a thread's other
// thread_locals are being destroyed. Only the owning thread accesses it. The child of a fork renews
// the state of its only thread (fork.cc).
#ifndef TRACEKIN_BASE_THREAD_STATE_H
#define TRACEKIN_BASE_THREAD_STATE_H

#include <atomic>
#include <cstdint>

#include "base/private_api.h"

namespace tracekin {

struct ScopeNode;

struct ThreadState {
  std::uint64_t random[2];      // xorshift128+, never both 0 once ready
  std::int64_t wall_offset;     // ns to add to the steady clock; see clock.h
  std::int64_t wall_offset_at;  // steady time of that measurement
  ScopeNode* active;            // innermost Scope; see scope.cc
  std::uint32_t shard;          // index of this thread, from 0; unique below 2^31
  std::int32_t tid;             // gettid(), or 0 before its first use, because the system call
                                // costs 107 ns
  bool ready;
  bool leaves_scopes;  // true if it removes its open Scopes at its exit; see scope.cc
};

// With the model initial-exec, an access costs one instruction instead of a call to __tls_get_addr.
// The memory is part of the reserve that glibc keeps for libraries loaded by dlopen. A thread_local
// variable would call a function at each use to check whether it needs initialisation, so this is
// __thread.
extern __thread TRACEKIN_PRIVATE_API ThreadState thread_state
    __attribute__((tls_model("initial-exec")));

namespace internal {
/// The number of threads of this process that have initialised their state. It has 64 bits so that
/// numbers are never reused, because the first threads count in memory that they do not share.
extern std::atomic<std::uint64_t> threads_seen;
}  // namespace internal

TRACEKIN_PRIVATE_API void MakeThreadStateReady() noexcept;

/// Creates new random numbers and a new thread id for the only thread of a forked child.
void RenewThreadStateAfterFork() noexcept;

inline ThreadState& ThisThread() noexcept {
  ThreadState& state = thread_state;
  if (__builtin_expect(!state.ready, 0)) MakeThreadStateReady();
  return state;
}

/// Returns the kernel's id of the calling thread.
std::int32_t ThreadId() noexcept;

/// Returns a random id in [1, 2^63), so that consumers with signed integers (Java, BlkKin) read the
/// same value. Uses xorshift128+ (Vigna, "Further scramblings of Marsaglia's xorshift generators",
/// 2014), because ids must be unique, but not secret.
inline std::uint64_t RandomId(ThreadState& state) noexcept {
  std::uint64_t id;
  do {
    std::uint64_t x = state.random[0];
    const std::uint64_t y = state.random[1];
    state.random[0] = y;
    x ^= x << 23;
    state.random[1] = x ^ y ^ (x >> 17) ^ (y >> 26);
    id = (state.random[1] + y) >> 1;  // the lowest bit is the least random
  } while (id == 0);
  return id;
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_THREAD_STATE_H
