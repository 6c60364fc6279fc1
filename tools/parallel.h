// SPDX-License-Identifier: Apache-2.0
// Computes many results on all processors, and uses them in order.
//
// Thread-safety: InOrder() calls `make` on several threads at the same time, and `use` on the
// calling thread.
#ifndef TRACEKIN_TOOLS_PARALLEL_H
#define TRACEKIN_TOOLS_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tools/progress.h"

namespace tracekin::tools {

/// Calls `use(i, make(i))` for each i below `count`, in order, and shows the progress. Keeps at
/// most some hundred results in memory. Passes on exceptions of `make` and `use`.
template <typename Make, typename Use>
void InOrder(std::size_t count, Progress* progress, Make make, Use use) {
  constexpr std::size_t kBatch = 256;
  using Result = decltype(make(std::size_t{0}));
  const std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t begin = 0; begin < count; begin += kBatch) {
    std::vector<Result> results(std::min(kBatch, count - begin));
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < results.size(); i = next++) results[i] = make(begin + i);
    };
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < std::min(workers, results.size()); ++i) {
      others.push_back(std::async(std::launch::async, work));
    }
    work();
    for (std::future<void>& other : others) other.get();
    progress->Erase();
    for (std::size_t i = 0; i < results.size(); ++i) use(begin + i, std::move(results[i]));
    progress->Update(static_cast<double>(begin + results.size()) / static_cast<double>(count));
  }
}

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_PARALLEL_H
