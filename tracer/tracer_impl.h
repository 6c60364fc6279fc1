// SPDX-License-Identifier: Apache-2.0
// Implements Tracer, and contains the data that all spans of a tracer share.
//
// Ownership: MakeTracer returns the tracer as a shared_ptr whose deleter is Retire. After Retire,
// the remaining spans, which are counted (accounts.h), keep the tracer alive. The last of them
// destroys it.
//
// Thread-safety: any method may be called from any thread, except for AfterForkInChild.
#ifndef TRACEKIN_TRACER_TRACER_IMPL_H
#define TRACEKIN_TRACER_TRACER_IMPL_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/thread_state.h"
#include "base/utf8.h"
#include "exporter/pipeline/exporter.h"
#include "propagation/propagation.h"
#include "tracekin/tracer.h"
#include "tracer/accounts.h"
#include "tracer/counter_publisher.h"
#include "tracer/sampler.h"
#include "tracer/span.h"
#include "tracer/ust_events.h"

namespace tracekin {

constexpr std::string_view kSamplingPriority = "sampling.priority";

class TracerImpl final : public Tracer {
 public:
  /// REQUIRES: ValidateOptions(options). Throws std::bad_alloc.
  TracerImpl(const Options& options, std::unique_ptr<const propagation::Propagation> propagation,
             std::shared_ptr<exporter::Exporter> exporter);

  /// Closes `tracer`. Destroys it now, or together with its last span.
  static void Retire(TracerImpl* tracer) noexcept;

  // opentracing::Tracer:
  std::unique_ptr<opentracing::Span> StartSpanWithOptions(
      opentracing::string_view name,
      const opentracing::StartSpanOptions& options) const noexcept override;
  opentracing::expected<void> Inject(const opentracing::SpanContext& context,
                                     std::ostream& carrier) const override;
  opentracing::expected<void> Inject(const opentracing::SpanContext& context,
                                     const opentracing::TextMapWriter& carrier) const override;
  opentracing::expected<void> Inject(const opentracing::SpanContext& context,
                                     const opentracing::HTTPHeadersWriter& carrier) const override;
  opentracing::expected<std::unique_ptr<opentracing::SpanContext>> Extract(
      std::istream& carrier) const override;
  opentracing::expected<std::unique_ptr<opentracing::SpanContext>> Extract(
      const opentracing::TextMapReader& carrier) const override;
  opentracing::expected<std::unique_ptr<opentracing::SpanContext>> Extract(
      const opentracing::HTTPHeadersReader& carrier) const override;
  void Close() noexcept override;

  // Tracer:
  Counters counters() const noexcept override;
  bool Flush(std::chrono::milliseconds timeout) noexcept override;
  bool Sample(std::uint64_t trace_id_low) noexcept override {
    return sampler_->Sample(trace_id_low);
  }
  void Report(const SpanRecord& span) noexcept override;

  // For spans:
  const std::string& service_name() const { return options_.service_name; }
  /// Returns whether spans with this sampling decision are recorded as LTTng events.
  bool ust(bool sampled) const { return sampled ? ust_sampled_ : ust_unsampled_; }
  /// Returns whether a span with this sampling decision must be recorded, because it is exported or
  /// because an LTTng session would record it now.
  bool Records(bool sampled) const {
    return (sampled && exports_) || (ust(sampled) && UstListensToSpans());
  }
  bool jaeger_events() const { return options_.ust.jaeger_events; }
  /// Returns the data that all spans share, as entries (span_bytes.h). They are followed by
  /// kPadding bytes that may be read.
  std::string_view resource() const {
    return std::string_view(resource_).substr(0, resource_.size() - kPadding);
  }
  void SpanMade() noexcept { Count(&Accounts::Shard::made); }
  /// Counts a span that has finished, and queues its bytes if it was selected for export.
  void SpanFinished(const SpanWriter& span, bool sampled, std::uint32_t fork_generation) noexcept;
  void ScopeMisplaced() noexcept { Count(&Accounts::Shard::misplaced_scopes); }
  /// Called by the destructor of a span. The span must not use the tracer afterwards.
  void SpanDestroyed() noexcept;

  // For the process (process.h):
  void AfterForkInChild() noexcept;
  /// The first half of Close(), which does not wait. The second half is Exporter::AwaitEnd().
  void BeginClose() noexcept;
  const std::shared_ptr<exporter::Exporter>& exporter() const { return exporter_; }

 private:
  ~TracerImpl() override;

  void Count(Accounts::Count Accounts::Shard::*which, std::uint64_t by = 1) noexcept {
    accounts_.Add(ThisThread().shard, which, by);
  }
  propagation::Context NewContext(const opentracing::StartSpanOptions& options) const;
  /// Destroys the retired tracers that no span refers to any more.
  static void DestroyUnused() noexcept;

  const Options options_;
  const bool exports_;
  const bool ust_sampled_;
  const bool ust_unsampled_;
  const std::unique_ptr<const propagation::Propagation> propagation_;
  const std::unique_ptr<Sampler> sampler_;
  const std::shared_ptr<exporter::Exporter> exporter_;
  const std::shared_ptr<CounterPublisher> counter_publisher_;
  const std::string resource_;
  std::atomic<bool> retired_{false};
  mutable Accounts accounts_;
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_TRACER_IMPL_H
