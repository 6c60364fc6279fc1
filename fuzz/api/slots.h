// SPDX-License-Identifier: Apache-2.0
// Slots in which the threads of the API's fuzzer leave objects for each other.
//
// An object that is replaced is destroyed by the last thread that releases it. Thread-safety: any
// thread may call any method. lock() is for a fork whose child continues to use the slots.
#ifndef TRACEKIN_FUZZ_API_SLOTS_H
#define TRACEKIN_FUZZ_API_SLOTS_H

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tracekin {

template <class Object>
class Slots {
 public:
  using Pointer = std::shared_ptr<Object>;

  explicit Slots(std::size_t size) : objects_(size) {}

  /// Returns null if the slot is empty. `slot` may be any number.
  Pointer Get(std::size_t slot) const {
    const std::lock_guard guard(mutex_);
    return objects_[slot % objects_.size()];
  }

  /// Stores `object` and returns the slot's previous object.
  Pointer Put(std::size_t slot, Pointer object) {
    const std::lock_guard guard(mutex_);
    return std::exchange(objects_[slot % objects_.size()], std::move(object));
  }

  void Clear() {
    for (std::size_t slot = 0; slot < objects_.size(); ++slot) Put(slot, nullptr);
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  mutable std::mutex mutex_;
  std::vector<Pointer> objects_;
};

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_SLOTS_H
