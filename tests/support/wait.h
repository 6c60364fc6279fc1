// SPDX-License-Identifier: Apache-2.0
// Waits for conditions that are not signalled.
#ifndef TRACEKIN_TESTS_SUPPORT_WAIT_H
#define TRACEKIN_TESTS_SUPPORT_WAIT_H

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

namespace tracekin::testing {

/// Returns whether `condition()` becomes true in time. Only a failure takes as long as the limit.
template <class Condition>
bool Eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Returns the number of threads of this process.
inline std::size_t ThreadCount() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Measures elapsed time.
class Stopwatch {
 public:
  std::chrono::nanoseconds elapsed() const { return std::chrono::steady_clock::now() - start_; }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_WAIT_H
