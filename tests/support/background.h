// SPDX-License-Identifier: Apache-2.0
// Threads that work in the background of a test.
#ifndef TRACEKIN_TESTS_SUPPORT_BACKGROUND_H
#define TRACEKIN_TESTS_SUPPORT_BACKGROUND_H

#include <atomic>
#include <thread>
#include <vector>

namespace tracekin::testing {

/// Threads that repeat some work until this object is destroyed.
class Background {
 public:
  template <class Work>
  void Repeat(Work work) {
    threads_.emplace_back([this, work] {
      while (!stop_) work();
    });
  }
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  ~Background() { Stop(); }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_BACKGROUND_H
