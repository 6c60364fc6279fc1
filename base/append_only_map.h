// SPDX-License-Identifier: Apache-2.0
// A map of texts that only grows. A reader sees every value that was added before, also in the
// child of a fork, because there is no lock that a thread of the parent may hold.
//
// Ownership: entries are never freed, so a few long-lived ones should be added.
// Thread-safety: any thread may call any method at any time. A static map needs no initialisation
// and is not destroyed.
#ifndef TRACEKIN_BASE_APPEND_ONLY_MAP_H
#define TRACEKIN_BASE_APPEND_ONLY_MAP_H

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace tracekin {

class AppendOnlyMap {
 public:
  constexpr AppendOnlyMap() = default;

  /// Makes Find(key) return `value`. Throws std::bad_alloc.
  void Add(std::string key, std::string value) {
    Entry* entry = new Entry{std::move(key), std::move(value), newest_.load()};
    while (!newest_.compare_exchange_weak(entry->older, entry)) {
    }
  }

  /// Returns the value that was last added for `key`, or nullptr.
  const std::string* Find(std::string_view key) const noexcept {
    for (const Entry* entry = newest_.load(); entry != nullptr; entry = entry->older) {
      if (entry->key == key) return &entry->value;
    }
    return nullptr;
  }

 private:
  struct Entry {
    const std::string key;
    const std::string value;
    Entry* older;
  };

  std::atomic<Entry*> newest_{nullptr};
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_APPEND_ONLY_MAP_H
