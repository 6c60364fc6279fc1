// SPDX-License-Identifier: Apache-2.0
// Determines how many rounds an attack test runs. By default this is a second or two of work, which
// the environment variable TRACEKIN_ATTACK multiplies. scripts/soak --attacks sets that variable.
//
//   const int forks = Attacks(20);
//   ...
//   ReportAttacks(forks, "forks");
#ifndef TRACEKIN_TESTS_SUPPORT_ATTACK_H
#define TRACEKIN_TESTS_SUPPORT_ATTACK_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace tracekin::testing {

/// Returns `count` times TRACEKIN_ATTACK.
template <class Count>
Count Attacks(Count count) {
  const char* const factor = std::getenv("TRACEKIN_ATTACK");
  return count * static_cast<Count>(factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

/// Prints the number of rounds on a line that scripts/soak adds up.
inline void ReportAttacks(std::uint64_t count, const char* what) {
  std::printf("attack: %llu %s\n", static_cast<unsigned long long>(count), what);
  std::fflush(stdout);
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_ATTACK_H
