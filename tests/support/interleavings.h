// SPDX-License-Identifier: Apache-2.0
// Runs a few threads in every order in which their operations can interleave, up to a number of
// preemptions. Most errors need two or three (Musuvathi, Qadeer: "Iterative context bounding for
// systematic testing of multithreaded programs", PLDI 2007). A thread may be preempted before each
// operation on an InterleavedAtomic. Execution is sequentially consistent, so errors that only
// weaker memory orders allow must be found by ThreadSanitizer.
//
//   Interleavings interleavings(2, 2);   // threads, preemptions
//   while (interleavings.Next()) {
//     InterleavedAtomic<int> number{0};
//     interleavings.Run([&](int thread) { number.fetch_add(1, std::memory_order_relaxed); });
//     ASSERT_EQ(number.load(std::memory_order_relaxed), 2) << interleavings.schedule();
//   }
//
// Thread-safety: a thread uses one object at a time, and an object belongs to one thread.
#ifndef TRACEKIN_TESTS_SUPPORT_INTERLEAVINGS_H
#define TRACEKIN_TESTS_SUPPORT_INTERLEAVINGS_H

#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tracekin::testing {

class Interleavings {
 public:
  Interleavings(int threads, int preemptions);
  ~Interleavings();
  Interleavings(const Interleavings&) = delete;
  Interleavings& operator=(const Interleavings&) = delete;

  /// Chooses the next order. Returns false if all orders have been run.
  bool Next();

  /// Calls `body(thread)` on all threads in the chosen order. REQUIRES: Next() returned true, and
  /// `body` is deterministic.
  void Run(const std::function<void(int thread)>& body);

  /// Returns how many orders have been chosen.
  std::size_t count() const { return count_; }

  /// Returns the last order: the number of the thread that ran each step.
  const std::string& schedule() const { return schedule_; }

  /// A point at which the calling thread may be preempted.
  static void Point();

 private:
  // A choice among the threads that could continue.
  struct Choice {
    std::size_t taken;
    std::size_t options;
  };

  void Serve(int thread);
  void GoOn();
  int Choose(const std::vector<int>& options);

  const int preemptions_;
  std::vector<std::thread> threads_;
  std::vector<sem_t> turns_;  // one per thread, and one for the caller of Run()
  const std::function<void(int thread)>* body_ = nullptr;  // null: the threads must end

  std::vector<Choice> choices_;
  std::size_t count_ = 0;
  // State of the order that is being run:
  std::size_t depth_ = 0;
  int preempted_ = 0;
  std::vector<bool> ended_;
  std::string schedule_;
};

/// Like std::atomic, with the operations that the code under test uses.
template <class Value>
class InterleavedAtomic {
 public:
  InterleavedAtomic() = default;
  InterleavedAtomic(Value value) : value_(value) {}

  Value load(std::memory_order) const { return At().value_; }
  void store(Value value, std::memory_order) { At().value_ = value; }
  void operator=(Value value) { At().value_ = value; }
  Value exchange(Value value, std::memory_order) {
    At();
    return std::exchange(value_, value);
  }
  Value fetch_add(Value by, std::memory_order) {
    At();
    return std::exchange(value_, value_ + by);
  }
  bool compare_exchange_weak(Value& expected, Value desired, std::memory_order,
                             std::memory_order = std::memory_order_relaxed) {
    const Value before = At().value_;
    if (before == expected) {
      value_ = desired;
      return true;
    }
    expected = before;
    return false;
  }

 private:
  const InterleavedAtomic& At() const {
    Interleavings::Point();
    return *this;
  }
  InterleavedAtomic& At() {
    Interleavings::Point();
    return *this;
  }

  Value value_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_INTERLEAVINGS_H
