// SPDX-License-Identifier: Apache-2.0
// One round of the API's fuzzer: threads that walk through the API in a World of their own.
//
// Thread-safety: one round at a time.
#ifndef TRACEKIN_FUZZ_API_ROUND_H
#define TRACEKIN_FUZZ_API_ROUND_H

#include <cstdint>
#include <vector>

#include "fuzz/api/choices.h"
#include "fuzz/api/world.h"

namespace tracekin {

/// Runs a thread for each of `choices`, of that many `calls`, and aborts the process where
/// something does not hold. Returns how many forks there were.
std::uint64_t RunRound(const std::vector<Choices>& choices, std::uint64_t calls,
                       const World::Limits& limits);

/// Writes what each thread of the round is doing to standard error. For a signal handler.
void PrintRound() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_ROUND_H
