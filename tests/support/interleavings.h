// SPDX-License-Identifier: Apache-2.0
// Runs a few threads in every order in which they can meet, up to a number of preemptions: most errors need
// two or three (Musuvathi, Qadeer: "Iterative context bounding for systematic testing of multithreaded
// programs", PLDI 2007). A thread may be preempted before each operation on an InterleavedAtomic. Everything is
// sequentially consistent, so what memory orders allow beyond that is ThreadSanitizer's to find.
//
//   Interleavings interleavings(2, 2);   // threads, preemptions
//   while (interleavings.Next()) {
//     InterleavedAtomic<int> number{0};
//     interleavings.Run([&](int thread) { number.fetch_add(1, std::memory_order_relaxed); });
//     ASSERT_EQ(number.load(std::memory_order_relaxed), 2) << interleavings.schedule();
//   }
//
// Thread-safety: of one thread, one object at a time.
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

  /// Chooses the next order; false if there is none left.
  bool Next();

  /// Calls `body(thread)` on all threads, in the order that was chosen. REQUIRES: Next() returned true, and
  /// `body` does the same each time.
  void Run(const std::function<void(int thread)>& body);

  /// How many orders were chosen.
  std::size_t count() const { return count_; }

  /// The last order: the thread that had each step.
  const std::string& schedule() const { return schedule_; }

  /// Where a thread may be preempted.
  static void Point();

 private:
  // Which of the threads that could go on did.
  struct Choice {
    std::size_t taken;
    std::size_t options;
  };

  void Serve(int thread);
  void GoOn();
  int Choose(const std::vector<int>& options);

  const int preemptions_;
  std::vector<std::thread> threads_;
  std::vector<sem_t> turns_;  // of the threads, and of the caller of Run()
  const std::function<void(int thread)>* body_ = nullptr;  // null: the threads are to end

  std::vector<Choice> choices_;
  std::size_t count_ = 0;
  // Of the order that is being run:
  std::size_t depth_ = 0;
  int preempted_ = 0;
  std::vector<bool> ended_;
  std::string schedule_;
};

/// As std::atomic, as far as the code under test uses it.
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
