// SPDX-License-Identifier: Apache-2.0
// Tests RATE in the environment: one of RATE + 1 roots is traced, regardless of the tracer's
// sampler.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <thread>
#include <vector>

#include "integrations/blkin/ids.h"
#include "tests/integrations/blkin/blkin_tracer.h"

namespace tracekin::testing {
namespace {

constexpr int kRoots = 4000;

// Set before BlkKin's API is used for the first time.
[[maybe_unused]] const int environment = setenv("RATE", "3", 1);

int Traced(int roots) {
  int traced = 0;
  for (int i = 0; i < roots; ++i) {
    const blkin_trace_info root = i % 2 == 0 ? blkin::RootWithOneId() : blkin::RootWithTwoIds();
    EXPECT_GT(root.span_id, 0);
    if (root.trace_id != 0) ++traced;
    EXPECT_EQ(blkin::ChildOf(root).trace_id, root.trace_id);
  }
  return traced;
}

TEST(BlkinRate, OneOfRatePlusOneRootsIsTraced) { EXPECT_EQ(Traced(kRoots), kRoots / 4); }

TEST(BlkinRate, GoesBeforeTheTracersSampler) {
  const BlkinTracer never(WithSampler("never"));
  EXPECT_EQ(Traced(kRoots), kRoots / 4);
}

TEST(BlkinRate, IsForTheProcessAsAWhole) {
  std::vector<int> traced(4);
  std::vector<std::thread> threads;
  for (int& mine : traced) threads.emplace_back([&mine] { mine = Traced(kRoots); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(traced[0] + traced[1] + traced[2] + traced[3], kRoots);
}

}  // namespace
}  // namespace tracekin::testing
