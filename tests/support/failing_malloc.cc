// SPDX-License-Identifier: Apache-2.0
#include "tests/support/failing_malloc.h"

#include <sys/prctl.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<bool> on{false};
std::atomic<long> count{0};
std::atomic<long> first_bad{0};
std::atomic<long> bad_count{0};

// A thread has the name of the thread that started it until it gets another.
bool IsOurThread() {
  char name[16];
  return prctl(PR_GET_NAME, name) == 0 && std::strncmp(name, "tracekin", 8) == 0;
}

bool Fails() {
  if (!on.load(std::memory_order_relaxed) || !IsOurThread()) return false;
  const long number = count.fetch_add(1);
  if (number < first_bad || number - first_bad >= bad_count) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

// Clang would hide these functions from the libraries, because tests are compiled with hidden
// visibility.
#pragma GCC visibility push(default)

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return Fails() ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t number, std::size_t size) {
  return Fails() ? nullptr : __libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) {
  return size != 0 && Fails() ? nullptr : __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return Fails() ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"

#pragma GCC visibility pop

namespace tracekin::testing {

void FailAllocations(long good, long bad) {
  on = false;
  count = 0;
  first_bad = good;
  bad_count = bad;
  on = true;
}

long EndFailingAllocations() {
  on = false;
  return count;
}

}  // namespace tracekin::testing
