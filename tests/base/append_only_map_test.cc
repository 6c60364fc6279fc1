// SPDX-License-Identifier: Apache-2.0
#include "base/append_only_map.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace tracekin {
namespace {

static_assert(std::is_trivially_destructible_v<AppendOnlyMap>);

AppendOnlyMap map;

TEST(AppendOnlyMap, FindsTheLastValueOfEachKey) {
  EXPECT_EQ(map.Find("a"), nullptr);
  map.Add("a", "1");
  map.Add("b", "2");
  map.Add("a", "3");
  EXPECT_EQ(*map.Find("a"), "3");
  EXPECT_EQ(*map.Find("b"), "2");
  EXPECT_EQ(map.Find(""), nullptr);
}

TEST(AppendOnlyMap, LosesNothingThatThreadsAddAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (int i = 0; i < 100; ++i) map.Add(std::to_string(100 * thread + i), "x");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int key = 0; key < 400; ++key) EXPECT_NE(map.Find(std::to_string(key)), nullptr) << key;
}

}  // namespace
}  // namespace tracekin
