// SPDX-License-Identifier: Apache-2.0
// Which process of a chain of forks this is.
//
// Spans and locks remember the process that made or took them: the child of a fork has copies of
// them all, but only one of its parent's threads.
//
// Thread-safety: any thread. The number changes in the child of a fork, before any other of our
// fork handlers runs there, while the child has one thread.
#ifndef TRACEKIN_BASE_FORK_GENERATION_H
#define TRACEKIN_BASE_FORK_GENERATION_H

#include <atomic>
#include <cstdint>

namespace tracekin {

namespace internal {
extern std::atomic<std::uint32_t> fork_generation;
}

/// Another number than in the parent process, and never 0. Costs one load.
inline std::uint32_t ForkGeneration() noexcept {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_FORK_GENERATION_H
