#include "tracer/thread_state.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

namespace tracekin {

__thread ThreadState thread_state;

namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): seeds
// the threads' generators from one random number a process.
std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::atomic<std::uint64_t> process_seed{0};
std::atomic<std::uint32_t> next_shard{0};

std::uint64_t RandomSeed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed) {
    // Early in boot, or in a sandbox without the call: to differ between processes and starts is
    // enough.
    seed = Mix(static_cast<std::uint64_t>(
               std::chrono::system_clock::now().time_since_epoch().count())) ^
           Mix(static_cast<std::uint64_t>(getpid()));
  }
  return seed | 1;
}

void Seed(ThreadState* state) {
  std::uint64_t unset = 0;
  if (process_seed.load(std::memory_order_relaxed) == 0) {
    process_seed.compare_exchange_strong(unset, RandomSeed(), std::memory_order_relaxed);
  }
  const std::uint64_t seed = process_seed.fetch_add(2 * kGolden, std::memory_order_relaxed);
  state->random[0] = Mix(seed);
  state->random[1] = Mix(seed + kGolden) | 1;
}

}  // namespace

void MakeThreadStateReady() noexcept {
  ThreadState& state = thread_state;
  state.shard = next_shard.fetch_add(1, std::memory_order_relaxed);
  Seed(&state);
  state.ready = true;
}

void RenewThreadStateAfterFork() noexcept {
  process_seed.store(RandomSeed(), std::memory_order_relaxed);
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
