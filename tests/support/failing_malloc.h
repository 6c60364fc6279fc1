// SPDX-License-Identifier: Apache-2.0
// Replaces malloc, calloc, realloc and related functions, which then fail on tracekin's own threads
// when a test requests it: on the exporter's threads, and on those that they start. In a program
// that links failing_malloc.cc, these serve everything that is loaded, including operator new and C
// libraries. Requires glibc, and no sanitizer, because sanitizers replace malloc themselves.
//
// Thread-safety: any thread may call any function.
#ifndef TRACEKIN_TESTS_SUPPORT_FAILING_MALLOC_H
#define TRACEKIN_TESTS_SUPPORT_FAILING_MALLOC_H

namespace tracekin::testing {

/// From now on, the first `good` allocations of tracekin's threads succeed, the next `bad` fail,
/// and all later ones succeed.
void FailAllocations(long good, long bad);

/// From now on, all allocations succeed. Returns the number of allocations since FailAllocations().
long EndFailingAllocations();

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_FAILING_MALLOC_H
