// SPDX-License-Identifier: Apache-2.0
// Decides whether a new trace is exported.
//
// A sampler is asked once per trace: where the trace begins, or where its context arrives without a
// decision. All services that receive the context follow the decision. Samplers take no lock and
// may be called from any thread.
#ifndef TRACEKIN_TRACER_SAMPLER_H
#define TRACEKIN_TRACER_SAMPLER_H

#include <atomic>
#include <cstdint>
#include <memory>

#include "tracekin/options.h"

namespace tracekin {

class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Returns whether to export the trace. `trace_id_low` is the lower half of the trace id.
  virtual bool Sample(std::uint64_t trace_id_low) noexcept = 0;
};

/// Makes the sampler that `options` describe. REQUIRES: they passed ValidateOptions.
std::unique_ptr<Sampler> MakeSampler(const SamplerOptions& options);

/// Samples all traces or none.
class ConstantSampler final : public Sampler {
 public:
  explicit ConstantSampler(bool decision) : decision_(decision) {}
  bool Sample(std::uint64_t) noexcept override { return decision_; }

 private:
  const bool decision_;
};

/// Samples a share of the traces. The trace id's lowest 56 bits decide, so that all processes with
/// the same rate sample the same traces. (W3C Trace Context level 2, "Random trace-id flag",
/// promises that these bits are random.)
class ProbabilisticSampler final : public Sampler {
 public:
  explicit ProbabilisticSampler(double rate);
  bool Sample(std::uint64_t trace_id_low) noexcept override;

 private:
  const std::uint64_t bound_;
};

/// Samples up to `per_second` traces per second, in bursts of up to that number. Uses the generic
/// cell rate algorithm (ITU-T I.371), which needs one word of state. Uses the coarse clock, which
/// is accurate to a few milliseconds.
class RateLimitingSampler final : public Sampler {
 public:
  explicit RateLimitingSampler(double per_second);
  bool Sample(std::uint64_t) noexcept override;

  /// Same as Sample(), at a given time in ns of the steady clock.
  bool SampleAt(std::int64_t now) noexcept;

 private:
  const std::int64_t interval_;           // ns per trace
  const std::int64_t burst_;              // ns by which the arrival time may run ahead
  std::atomic<std::int64_t> arrival_{0};  // theoretical arrival time of the next trace
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SAMPLER_H
