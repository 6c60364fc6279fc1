// SPDX-License-Identifier: Apache-2.0
#include "base/spin_lock.h"

#include <gtest/gtest.h>

#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/fork.h"

namespace tracekin::testing {
namespace {

constexpr int kThreads = 4;
constexpr int kTurns = 20'000;

/// Lets several threads count under the lock. Returns the final sum.
int CountOnThreads(SpinLock* lock) {
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < kTurns; ++turn) {
        const std::lock_guard<SpinLock> guard(*lock);
        ++sum;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sum;
}

TEST(SpinLock, IsHeldByOneThreadAtATime) {
  SpinLock lock;
  EXPECT_EQ(CountOnThreads(&lock), kThreads * kTurns);
}

TEST(SpinLock, TellsThatItsHolderHasUnlockedIt) {
  SpinLock lock;
  EXPECT_TRUE(lock.lock());
  lock.unlock();
  EXPECT_TRUE(lock.lock());
}

TEST(SpinLock, OfAThreadThatAForkLeftBehindIsTakenOverOnce) {
  SpinLock lock;
  lock.lock();
  InFork([&lock] {
    EXPECT_FALSE(lock.lock());
    lock.unlock();
    EXPECT_TRUE(lock.lock());
    lock.unlock();
  });
}

TEST(SpinLock, ThatWasTakenOverIsHeldByOneThreadAtATime) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  SpinLock lock;
  lock.lock();
  InFork([&lock] { EXPECT_EQ(CountOnThreads(&lock), kThreads * kTurns); });
}

TEST(SpinLock, OfAGrandparentIsTakenOver) {
  SpinLock lock;
  lock.lock();
  InFork([&lock] { InFork([&lock] { EXPECT_FALSE(lock.lock()); }); });
}

TEST(ForkGeneration, IsAnotherInTheChildAndNever0) {
  const std::uint32_t before = ForkGeneration();
  internal::fork_generation = std::numeric_limits<std::uint32_t>::max();
  InFork([] { EXPECT_EQ(ForkGeneration(), 1u); });
  internal::fork_generation = before;
  InFork([before] {
    EXPECT_NE(ForkGeneration(), before);
    EXPECT_NE(ForkGeneration(), 0u);
  });
  EXPECT_EQ(ForkGeneration(), before);
}

}  // namespace
}  // namespace tracekin::testing
