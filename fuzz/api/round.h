// SPDX-License-Identifier: Apache-2.0
// One round of the API's fuzzer: threads that make random calls of the API in their own World.
//
// Thread-safety: one round at a time.
#ifndef TRACEKIN_FUZZ_API_ROUND_H
#define TRACEKIN_FUZZ_API_ROUND_H

#include <cstdint>
#include <vector>

#include "fuzz/api/choices.h"
#include "fuzz/api/world.h"

namespace tracekin {

/// Runs a thread that makes `calls` calls for each of `choices`. Aborts the process if a check
/// fails. Returns the number of forks.
std::uint64_t RunRound(const std::vector<Choices>& choices, std::uint64_t calls,
                       const World::Limits& limits);

/// Writes the current call of each thread of the round to standard error. Safe in a signal handler.
void PrintRound() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_ROUND_H
