// SPDX-License-Identifier: Apache-2.0
// Counts the calling thread's calls of operator new in a program that links allocations.cc.
#ifndef TRACEKIN_BENCHMARKS_ALLOCATIONS_H
#define TRACEKIN_BENCHMARKS_ALLOCATIONS_H

#include <cstdint>

namespace tracekin {

std::uint64_t AllocationsOfThisThread();

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_ALLOCATIONS_H
