// SPDX-License-Identifier: Apache-2.0
#include "base/thread_state.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/random_seed.h"

namespace tracekin {

namespace internal {
std::atomic<std::uint64_t> threads_seen{0};
}

__thread ThreadState thread_state;

namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::atomic<std::uint64_t> process_seed{0};

// Numbers the first 2^31 threads uniquely. Later threads share the numbers from 2^31 on.
std::uint32_t NextShard() {
  constexpr std::uint64_t kDistinct = std::uint64_t{1} << 31;
  const std::uint64_t before = internal::threads_seen.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::uint32_t>(before < kDistinct ? before : kDistinct + before % kDistinct);
}

// Seeds every thread's generator from one random number per process, which is not 0.
void Seed(ThreadState* state) {
  std::uint64_t unset = 0;
  if (process_seed.load(std::memory_order_relaxed) == 0) {
    process_seed.compare_exchange_strong(unset, RandomSeed() | 1, std::memory_order_relaxed);
  }
  const std::uint64_t seed = process_seed.fetch_add(2 * kGolden, std::memory_order_relaxed);
  state->random[0] = MixBits(seed);
  state->random[1] = MixBits(seed + kGolden) | 1;
}

}  // namespace

void MakeThreadStateReady() noexcept {
  ThreadState& state = thread_state;
  state.shard = NextShard();
  Seed(&state);
  state.ready = true;
}

void RenewThreadStateAfterFork() noexcept {
  process_seed.store(RandomSeed() | 1, std::memory_order_relaxed);
  Seed(&thread_state);
  thread_state.tid = 0;
}

std::int32_t ThreadId() noexcept {
  ThreadState& state = ThisThread();
  if (__builtin_expect(state.tid == 0, 0)) {
    state.tid = static_cast<std::int32_t>(syscall(SYS_gettid));
  }
  return state.tid;
}

}  // namespace tracekin
