// SPDX-License-Identifier: Apache-2.0
#include "tracer/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/thread_state.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1000 * kSecond;

std::unique_ptr<Sampler> Make(const std::string& type, double rate, double per_second) {
  SamplerOptions options;
  options.type = type;
  options.rate = rate;
  options.per_second = per_second;
  return MakeSampler(options);
}

TEST(Sampler, WithoutATypeDoesWhatItsOtherOptionsSay) {
  EXPECT_TRUE(Make("", 1, 0)->Sample(~std::uint64_t{0}));
  EXPECT_FALSE(Make("", 0.01, 0)->Sample(~std::uint64_t{0}));
  EXPECT_TRUE(Make("", 0.01, 0)->Sample(0));
  const auto one_per_second = Make("", 1, 1);
  EXPECT_TRUE(one_per_second->Sample(0));
  EXPECT_FALSE(one_per_second->Sample(0));
  EXPECT_TRUE(Make("always", 0.01, 0)->Sample(~std::uint64_t{0}));
}

TEST(MakeSampler, MakesEachType) {
  for (const std::uint64_t id : {std::uint64_t{1}, ~std::uint64_t{0}, RandomId(ThisThread())}) {
    EXPECT_TRUE(Make("always", 0, 0)->Sample(id));
    EXPECT_FALSE(Make("never", 1, 100)->Sample(id));
    EXPECT_TRUE(Make("probabilistic", 1, 0)->Sample(id));
    EXPECT_FALSE(Make("probabilistic", 0, 100)->Sample(id));
    EXPECT_TRUE(Make("rate_limiting", 0, 1)->Sample(id));
    EXPECT_FALSE(Make("rate_limiting", 1, 0)->Sample(id));
  }
}

TEST(ProbabilisticSampler, TakesAllAtOneAndNoneAtZero) {
  for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 56) - 1,
                                 std::uint64_t{1} << 56, ~std::uint64_t{0}}) {
    EXPECT_TRUE(ProbabilisticSampler(1).Sample(id));
    EXPECT_FALSE(ProbabilisticSampler(0).Sample(id));
  }
}

TEST(ProbabilisticSampler, TakesItsShareOfRandomIds) {
  constexpr int kIds = 100'000;
  for (const double rate : {0.001, 0.1, 0.5, 0.9}) {
    ProbabilisticSampler sampler(rate);
    int taken = 0;
    for (int i = 0; i < kIds; ++i) taken += sampler.Sample(RandomId(ThisThread())) ? 1 : 0;
    const double deviation = std::sqrt(kIds * rate * (1 - rate));
    EXPECT_NEAR(taken, kIds * rate, 6 * deviation) << rate;  // fails once in 500 million runs
  }
}

TEST(ProbabilisticSampler, LooksAtTheLowest56BitsOnly) {
  ProbabilisticSampler sampler(0.5);
  const std::uint64_t half = std::uint64_t{1} << 55;
  for (const std::uint64_t high : {std::uint64_t{0}, std::uint64_t{0x7F} << 56}) {
    EXPECT_TRUE(sampler.Sample(high | (half - 1)));
    EXPECT_FALSE(sampler.Sample(high | half));
  }
}

TEST(ProbabilisticSampler, WithALowerRateTakesASubset) {
  ProbabilisticSampler low(0.1);
  ProbabilisticSampler high(0.3);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t id = RandomId(ThisThread());
    EXPECT_TRUE(!low.Sample(id) || high.Sample(id));
  }
}

TEST(ProbabilisticSampler, OfTwoTracersDecidesAlike) {
  Options options = WithSampler("probabilistic", false);  // each tracer decides by itself
  options.sampler.rate = 0.5;
  RecordingTracer one(options);
  RecordingTracer two(options);
  constexpr int kTraces = 1000;
  for (int i = 0; i < kTraces; ++i) {
    const auto root = one->StartSpan("root");
    two->StartSpan("child", {opentracing::ChildOf(&root->context())});
  }
  const auto roots = one.Spans();
  const auto children = two.Spans();
  ASSERT_EQ(roots.size(), children.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_EQ(roots[i].trace_id_low, children[i].trace_id_low);
  }
  EXPECT_NEAR(static_cast<double>(roots.size()), kTraces / 2, 6 * std::sqrt(kTraces / 4));
}

/// Returns how many of `requests` at `now` are sampled.
int Taken(RateLimitingSampler* sampler, std::int64_t now, int requests) {
  int taken = 0;
  for (int i = 0; i < requests; ++i) taken += sampler->SampleAt(now) ? 1 : 0;
  return taken;
}

TEST(RateLimitingSampler, TakesABurstOfASecondsTraces) {
  for (const int rate : {1, 2, 3, 7, 100, 999, 1'000'000}) {
    RateLimitingSampler sampler(rate);
    EXPECT_EQ(Taken(&sampler, kStart, 2 * rate), rate);
    EXPECT_EQ(Taken(&sampler, kStart + 3600 * kSecond, 2 * rate), rate) << "after an idle hour";
  }
}

TEST(RateLimitingSampler, TakesItsRateInTheLongRun) {
  for (const double rate : {0.1, 0.5, 1.0, 2.5, 10.0, 1000.0}) {
    RateLimitingSampler sampler(rate);
    constexpr int kSeconds = 1000;
    constexpr int kSteps = 2000;  // steps per second, faster than any rate
    int taken = 0;
    for (std::int64_t step = 0; step < std::int64_t{kSeconds} * kSteps; ++step) {
      taken += sampler.SampleAt(kStart + step * (kSecond / kSteps)) ? 1 : 0;
    }
    EXPECT_GE(taken, std::floor(rate * kSeconds));
    EXPECT_LE(taken, rate * kSeconds + std::max(rate, 1.0));  // plus the burst at the beginning
  }
}

TEST(RateLimitingSampler, NeverTakesMoreThanTwiceTheRateInASecond) {
  RateLimitingSampler sampler(10);
  EXPECT_EQ(Taken(&sampler, kStart, 100), 10);
  int taken = 0;
  for (int i = 1; i <= 1000; ++i) taken += Taken(&sampler, kStart + i * (kSecond / 1000), 10);
  EXPECT_EQ(taken, 10);
}

TEST(RateLimitingSampler, BelowOneASecondTakesOneAtATime) {
  RateLimitingSampler sampler(0.25);
  EXPECT_EQ(Taken(&sampler, kStart, 10), 1);
  EXPECT_EQ(Taken(&sampler, kStart + 4 * kSecond - 1, 10), 0);
  EXPECT_EQ(Taken(&sampler, kStart + 4 * kSecond, 10), 1);
  EXPECT_EQ(Taken(&sampler, kStart + 100 * kSecond, 10), 1);  // unused permits are not saved
}

TEST(RateLimitingSampler, TinyRateTakesTheFirst) {
  RateLimitingSampler sampler(1e-300);
  EXPECT_EQ(Taken(&sampler, kStart, 10), 1);
  EXPECT_EQ(Taken(&sampler, kStart + 86'400 * kSecond, 10), 0);
}

TEST(RateLimitingSampler, BearsTimeThatStepsBack) {
  RateLimitingSampler sampler(2);
  EXPECT_EQ(Taken(&sampler, kStart, 10), 2);
  EXPECT_EQ(Taken(&sampler, kStart - 10 * kSecond, 10), 0);
  EXPECT_EQ(Taken(&sampler, kStart + kSecond, 10), 2);
}

TEST(RateLimitingSampler, HoldsItsRateOverThreads) {
  constexpr int kRate = 1000;
  RateLimitingSampler sampler(kRate);
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { taken += Taken(&sampler, kStart, kRate); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kRate);
}

}  // namespace
}  // namespace tracekin::testing
