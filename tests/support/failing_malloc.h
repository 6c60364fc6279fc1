// SPDX-License-Identifier: Apache-2.0
// malloc, calloc, realloc and the like, which fail when a test says so, on tracekin's own threads:
// the exporter's, and those that they start. A program that links failing_malloc.cc has these for
// all that is loaded into it, operator new and C libraries included. glibc only, and not with
// sanitizers, which bring their own.
//
// Thread-safety: any function from any thread.
#ifndef TRACEKIN_TESTS_SUPPORT_FAILING_MALLOC_H
#define TRACEKIN_TESTS_SUPPORT_FAILING_MALLOC_H

namespace tracekin::testing {

/// From now on the first `good` allocations of tracekin's threads succeed, the next `bad` fail, and
/// those that follow succeed again.
void FailAllocations(long good, long bad);

/// From now on all allocations succeed. Returns how many there have been since FailAllocations().
long EndFailingAllocations();

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_FAILING_MALLOC_H
