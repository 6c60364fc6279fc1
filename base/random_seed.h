// SPDX-License-Identifier: Apache-2.0
// Random numbers that differ between processes and between runs of a program.
#ifndef TRACEKIN_BASE_RANDOM_SEED_H
#define TRACEKIN_BASE_RANDOM_SEED_H

#include <cstdint>

#include "base/private_api.h"

namespace tracekin {

/// Returns 64 bits from the kernel. Uses the clock and the process id early in boot, or in a
/// sandbox without getrandom(2). Any thread may call this. Never blocks.
std::uint64_t RandomSeed() noexcept;

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
TRACEKIN_PRIVATE_API std::uint64_t MixBits(std::uint64_t z) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_RANDOM_SEED_H
