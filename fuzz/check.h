// SPDX-License-Identifier: Apache-2.0
// Checks an invariant. Aborts if the invariant is broken, because libFuzzer keeps the input of a
// program that aborts.
#ifndef TRACEKIN_FUZZ_CHECK_H
#define TRACEKIN_FUZZ_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(condition) \
  ((condition) ? void() : ::tracekin::CheckFailed(#condition, __FILE__, __LINE__))

namespace tracekin {

[[noreturn]] inline void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_CHECK_H
