// SPDX-License-Identifier: Apache-2.0
// Whether a new trace is to be exported.
//
// Asked once a trace, where it begins (or where its context arrives undecided); whoever gets the
// context keeps to the answer. Samplers take no lock; any thread may ask.
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

  /// `trace_id_low` is the lower half of the trace id.
  virtual bool Sample(std::uint64_t trace_id_low) noexcept = 0;
};

/// For checked options (see ValidateOptions).
std::unique_ptr<Sampler> MakeSampler(const SamplerOptions& options);

/// Always and never.
class ConstantSampler final : public Sampler {
 public:
  explicit ConstantSampler(bool decision) : decision_(decision) {}
  bool Sample(std::uint64_t) noexcept override { return decision_; }

 private:
  const bool decision_;
};

/// A share of the traces, chosen by the trace id's lowest 56 bits, so that every process with the
/// same rate chooses the same ones. (W3C Trace Context level 2, "Random trace-id flag", promises
/// that just these bits are random.)
class ProbabilisticSampler final : public Sampler {
 public:
  explicit ProbabilisticSampler(double rate);
  bool Sample(std::uint64_t trace_id_low) noexcept override;

 private:
  const std::uint64_t bound_;
};

/// At most a number of traces a second, in bursts of as many: the generic cell rate algorithm
/// (ITU-T I.371), which needs one word of state. Time is the coarse clock's, some milliseconds
/// exact.
class RateLimitingSampler final : public Sampler {
 public:
  explicit RateLimitingSampler(double per_second);
  bool Sample(std::uint64_t) noexcept override;

  /// The same at a given time, ns of the steady clock.
  bool SampleAt(std::int64_t now) noexcept;

 private:
  const std::int64_t interval_;           // ns a trace
  const std::int64_t burst_;              // ns that the arrival time may run ahead
  std::atomic<std::int64_t> arrival_{0};  // theoretical arrival time of the next trace
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SAMPLER_H
