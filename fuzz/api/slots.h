// SPDX-License-Identifier: Apache-2.0
// Places in which the threads of the API's fuzzer leave objects for each other.
//
// Whatever is replaced is destroyed by the thread that lets go of it last. Thread-safety: any
// method from any thread. lock() is for a fork, whose child goes on with the same places.
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

  /// Null where nothing was left. `slot` may be any number.
  Pointer Get(std::size_t slot) const {
    const std::lock_guard guard(mutex_);
    return objects_[slot % objects_.size()];
  }

  /// Returns what was there before.
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
