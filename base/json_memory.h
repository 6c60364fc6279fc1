// SPDX-License-Identifier: Apache-2.0
// The allocator to give to rapidjson. Its own, CrtAllocator, returns null without memory, which the
// library does not look at; this one throws, and the library leaves what it was building in order.
//
// Thread-safety: any thread.
#ifndef TRACEKIN_BASE_JSON_MEMORY_H
#define TRACEKIN_BASE_JSON_MEMORY_H

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace tracekin {

/// rapidjson's concept Allocator.
class JsonMemory {
 public:
  static const bool kNeedFree = true;

  /// Throws std::bad_alloc.
  void* Malloc(std::size_t size) { return size == 0 ? nullptr : ::operator new(size); }

  /// The same; `old` stays as it is then.
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
