// SPDX-License-Identifier: Apache-2.0
#include "base/random_seed.h"

#include <sys/random.h>
#include <unistd.h>

#include <chrono>

#include "base/no_cancellation.h"

namespace tracekin {

std::uint64_t MixBits(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t RandomSeed() noexcept {
  const NoCancellation no_cancellation;  // callers are noexcept
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed) return seed;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return MixBits(static_cast<std::uint64_t>(now)) ^ MixBits(static_cast<std::uint64_t>(getpid()));
}

}  // namespace tracekin
