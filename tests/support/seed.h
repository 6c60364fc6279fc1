// SPDX-License-Identifier: Apache-2.0
// Seeds for random tests. They are the same each time unless the environment variable TRACEKIN_SEED
// changes them; scripts/soak counts it up.
#ifndef TRACEKIN_TESTS_SUPPORT_SEED_H
#define TRACEKIN_TESTS_SUPPORT_SEED_H

#include <cstdlib>

namespace tracekin::testing {

/// Returns a seed for this test's `number`. No two values of TRACEKIN_SEED yield the same seed.
inline unsigned Seed(unsigned number) {
  const char* const base = std::getenv("TRACEKIN_SEED");
  return number + (base == nullptr ? 0 : 1000 * static_cast<unsigned>(std::atoi(base)));
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_SEED_H
