// SPDX-License-Identifier: Apache-2.0
// The allocator for rapidjson. rapidjson's own CrtAllocator returns null when memory runs out,
// which the library does not check. This allocator throws instead, and the library keeps its
// objects consistent.
//
// Thread-safety: any thread may use it.
#ifndef TRACEKIN_BASE_JSON_MEMORY_H
#define TRACEKIN_BASE_JSON_MEMORY_H

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace tracekin {

/// Implements rapidjson's concept Allocator.
class JsonMemory {
 public:
  static const bool kNeedFree = true;

  /// Throws std::bad_alloc.
  void* Malloc(std::size_t size) { return size == 0 ? nullptr : ::operator new(size); }

  /// May throw std::bad_alloc and then leaves `old` unchanged.
  void* Realloc(void* old, std::size_t old_size, std::size_t size) {
    void* const memory = Malloc(size);
    if (old != nullptr && memory != nullptr) std::memcpy(memory, old, std::min(old_size, size));
    Free(old);
    return memory;
  }

  static void Free(void* memory) noexcept { ::operator delete(memory); }
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_JSON_MEMORY_H
