// SPDX-License-Identifier: Apache-2.0
#include "base/fork_generation.h"

#include <pthread.h>

namespace tracekin {

namespace internal {
std::atomic<std::uint32_t> fork_generation{1};
}

namespace {

void AfterForkInChild() {
  const std::uint32_t next = ForkGeneration() + 1;
  internal::fork_generation.store(next == 0 ? 1 : next, std::memory_order_relaxed);
}

// Fork handlers in a child run in the order of registration. This priority registers the handler
// before any of our other constructors runs.
__attribute__((constructor(101))) void RegisterForkHandler() {
  pthread_atfork(nullptr, nullptr, AfterForkInChild);
}

}  // namespace

}  // namespace tracekin
