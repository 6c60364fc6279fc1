// SPDX-License-Identifier: Apache-2.0
#include "tracer/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "configuration/check.h"

namespace tracekin {

namespace {

constexpr std::uint64_t kRandomBits = (std::uint64_t{1} << 56) - 1;
constexpr double kSecond = 1e9;

}  // namespace

std::unique_ptr<Sampler> MakeSampler(const SamplerOptions& options) {
  const std::string_view type = configuration::SamplerTypeOf(options);
  if (type == "never") return std::make_unique<ConstantSampler>(false);
  if (type == "probabilistic") return std::make_unique<ProbabilisticSampler>(options.rate);
  if (type == "rate_limiting") {
    return std::make_unique<RateLimitingSampler>(options.per_second);
  }
  return std::make_unique<ConstantSampler>(true);
}

ProbabilisticSampler::ProbabilisticSampler(double rate)
    : bound_(static_cast<std::uint64_t>(std::ldexp(std::clamp(rate, 0.0, 1.0), 56))) {}

bool ProbabilisticSampler::Sample(std::uint64_t trace_id_low) noexcept {
  return (trace_id_low & kRandomBits) < bound_;
}

RateLimitingSampler::RateLimitingSampler(double per_second)
    : interval_(per_second <= 0 ? 0
                                : static_cast<std::int64_t>(std::min(kSecond / per_second, 1e15))),
      burst_(static_cast<std::int64_t>(std::max(kSecond - static_cast<double>(interval_), 0.0))) {}

bool RateLimitingSampler::Sample(std::uint64_t) noexcept { return SampleAt(CoarseSteadyNow()); }

bool RateLimitingSampler::SampleAt(std::int64_t now) noexcept {
  if (interval_ == 0) return false;
  std::int64_t arrival = arrival_.load(std::memory_order_relaxed);
  std::int64_t next;
  do {
    if (arrival - now > burst_) return false;
    next = std::max(arrival, now) + interval_;
  } while (!arrival_.compare_exchange_weak(arrival, next, std::memory_order_relaxed));
  return true;
}

}  // namespace tracekin
