// SPDX-License-Identifier: Apache-2.0
// Identifies this process in a chain of forks.
//
// Spans and locks remember the process that created or acquired them. The child of a fork has
// copies of all of them, but only one of its parent's threads.
//
// Thread-safety: any thread may call this. The number changes in the child of a fork while the
// child has one thread, before any of our other fork handlers runs there.
#ifndef TRACEKIN_BASE_FORK_GENERATION_H
#define TRACEKIN_BASE_FORK_GENERATION_H

#include <atomic>
#include <cstdint>

#include "base/private_api.h"

namespace tracekin {

namespace internal {
extern TRACEKIN_PRIVATE_API std::atomic<std::uint32_t> fork_generation;
}

/// Returns a number that differs from the number of the parent process and is never 0. Costs one
/// load.
inline std::uint32_t ForkGeneration() noexcept {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

}  // namespace tracekin

#endif  // TRACEKIN_BASE_FORK_GENERATION_H
