// SPDX-License-Identifier: Apache-2.0
// Tests trace and span ids: their range, their size, and that they are unique.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_state.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

constexpr std::uint64_t kEnd = std::uint64_t{1} << 63;

void ExpectUnique(std::vector<std::uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(RandomId, IsInRangeAndUsesAllItsBits) {
  constexpr int kIds = 100'000;
  int ones[64] = {};
  for (int i = 0; i < kIds; ++i) {
    const std::uint64_t id = RandomId(ThisThread());
    ASSERT_GE(id, 1u);
    ASSERT_LT(id, kEnd);
    for (int bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(id >> bit & 1);
  }
  for (int bit = 0; bit < 63; ++bit) EXPECT_NEAR(ones[bit], kIds / 2, 1500) << bit;  // 9 sigma
}

TEST(RandomId, IsNeverZero) {
  ThreadState state{};
  state.random[0] = 0;
  state.random[1] = 1;  // the weakest state: its first numbers are small
  for (int i = 0; i < 1000; ++i) EXPECT_NE(RandomId(state), 0u);
}

TEST(RandomId, IsUniqueOverThreads) {
  constexpr std::size_t kThreads = 64;
  constexpr std::size_t kIds = 2000;
  std::vector<std::uint64_t> ids(kThreads * kIds);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&ids, thread] {
      for (std::size_t i = 0; i < kIds; ++i) ids[thread * kIds + i] = RandomId(ThisThread());
    });
  }
  for (std::thread& thread : threads) thread.join();
  ExpectUnique(std::move(ids));
}

class TraceIdBits : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TraceIdBits, AreThoseOfTheOptions) {
  Options options;
  options.trace_id_bits = GetParam();
  RecordingTracer tracer(options);
  constexpr int kSpans = 1000;
  for (int i = 0; i < kSpans; ++i) {
    const auto span = tracer->StartSpan("a");
    EXPECT_EQ(span->context().ToTraceID().size(), GetParam() / 4);
    EXPECT_EQ(span->context().ToSpanID().size(), 16u);
  }
  std::vector<std::uint64_t> ids;
  for (const RecordedSpan& span : tracer.Spans()) {
    EXPECT_EQ(span.trace_id_high != 0, GetParam() == 128);
    EXPECT_LT(span.trace_id_high, kEnd);
    for (const std::uint64_t id : {span.trace_id_low, span.span_id}) {
      EXPECT_GE(id, 1u);
      EXPECT_LT(id, kEnd);
      ids.push_back(id);
    }
    if (span.trace_id_high != 0) ids.push_back(span.trace_id_high);
  }
  EXPECT_EQ(ids.size(), kSpans * (GetParam() / 64 + 1));
  ExpectUnique(std::move(ids));
}

INSTANTIATE_TEST_SUITE_P(Bits, TraceIdBits, ::testing::Values(64, 128));

TEST(TraceIds, OfAParentKeepTheirSizeWhateverTheOptions) {
  Options options;
  options.trace_id_bits = 64;
  RecordingTracer small(options);
  options.trace_id_bits = 128;
  RecordingTracer large(options);
  const auto a = small->StartSpan("a");
  const auto b = large->StartSpan("b", {opentracing::ChildOf(&a->context())});
  EXPECT_EQ(b->context().ToTraceID(), a->context().ToTraceID());
  const auto c = large->StartSpan("c");
  const auto d = small->StartSpan("d", {opentracing::ChildOf(&c->context())});
  EXPECT_EQ(d->context().ToTraceID(), c->context().ToTraceID());
}

TEST(ThreadId, IsTheKernels) {
  EXPECT_EQ(ThreadId(), ThreadId());
  std::int32_t other = 0;
  std::thread([&] { other = ThreadId(); }).join();
  EXPECT_GT(other, 0);
  EXPECT_NE(other, ThreadId());
}

}  // namespace
}  // namespace tracekin::testing
