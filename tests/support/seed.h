// SPDX-License-Identifier: Apache-2.0
// Where random tests begin: the same numbers each time, unless TRACEKIN_SEED in the environment says otherwise
// (scripts/soak has it count up).
#ifndef TRACEKIN_TESTS_SUPPORT_SEED_H
#define TRACEKIN_TESTS_SUPPORT_SEED_H

#include <cstdlib>

namespace tracekin::testing {

/// `number` is the test's own; of two values of TRACEKIN_SEED none has the same seed.
inline unsigned Seed(unsigned number) {
  const char* const base = std::getenv("TRACEKIN_SEED");
  return number + (base == nullptr ? 0 : 1000 * static_cast<unsigned>(std::atoi(base)));
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_SEED_H
