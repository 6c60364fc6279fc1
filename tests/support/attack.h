// SPDX-License-Identifier: Apache-2.0
// How hard a test attacks: a second or two of it by default, and TRACEKIN_ATTACK times as much
// where the environment sets that, as scripts/soak --attacks does.
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

/// `count`, TRACEKIN_ATTACK times.
template <class Count>
Count Attacks(Count count) {
  const char* const factor = std::getenv("TRACEKIN_ATTACK");
  return count * static_cast<Count>(factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

/// Prints what was done, in a line that scripts/soak adds up.
inline void ReportAttacks(std::uint64_t count, const char* what) {
  std::printf("attack: %llu %s\n", static_cast<unsigned long long>(count), what);
  std::fflush(stdout);
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_ATTACK_H
