// SPDX-License-Identifier: Apache-2.0
// A number that other processes, and other starts of this one, hardly ever have.
#ifndef TRACEKIN_BASE_RANDOM_SEED_H
#define TRACEKIN_BASE_RANDOM_SEED_H

#include <cstdint>

namespace tracekin {

/// Sixty-four bits of the kernel's, or, early in boot or in a sandbox without getrandom(2), of the clock
/// and the process id. Any thread; waits for nothing.
std::uint64_t RandomSeed() noexcept;

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t MixBits(std::uint64_t z) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_RANDOM_SEED_H
