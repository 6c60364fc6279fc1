// SPDX-License-Identifier: Apache-2.0
// tracekin's span context, which belongs to a live span or was extracted from a carrier.
//
// The ids never change. The sampling decision and the baggage of a live span may, so reading them
// is synchronised. Baggage is immutable behind a shared pointer. The initial baggage lives as long
// as the context. A change allocates new baggage, and one store replaces the old. The child of a
// fork therefore finds the baggage from before or after a change, whatever another thread was
// doing. As long as nothing was changed, reading costs one additional load.
//
// Thread-safety: any method may be called from any thread.
#ifndef TRACEKIN_TRACER_SPAN_CONTEXT_H
#define TRACEKIN_TRACER_SPAN_CONTEXT_H

#include <opentracing/propagation.h>
#include <opentracing/span.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/spin_lock.h"
#include "propagation/context.h"

namespace tracekin {

class SpanContext final : public opentracing::SpanContext {
 public:
  explicit SpanContext(propagation::Context&& context) noexcept;
  ~SpanContext() override { delete changed_extras_.load(std::memory_order_relaxed); }

  SpanContext(const SpanContext&) = delete;
  SpanContext& operator=(const SpanContext&) = delete;

  /// Returns `context` as tracekin's class. Returns nullptr if it is null or belongs to another
  /// tracer library, including a second copy of tracekin in the process.
  static const SpanContext* Cast(const opentracing::SpanContext* context) noexcept;

  std::uint64_t trace_id_high() const { return trace_id_high_; }
  std::uint64_t trace_id_low() const { return trace_id_low_; }
  std::uint64_t span_id() const { return span_id_; }
  std::uint64_t parent_span_id() const { return parent_span_id_; }
  bool has_ids() const { return span_id_ != 0; }
  bool random_trace_id() const { return random_trace_id_; }
  /// W3C's tracestate as received with the parent, or "". It never changes.
  std::string_view tracestate() const {
    return extras_ == nullptr ? std::string_view{} : extras_->tracestate;
  }

  propagation::Decision decision() const { return decision_.load(std::memory_order_relaxed); }
  void set_decision(propagation::Decision decision) {
    decision_.store(decision, std::memory_order_relaxed);
  }
  bool sampled() const { return decision() >= propagation::Decision::kAccept; }

  std::shared_ptr<const propagation::ContextExtras> extras() const {
    if (changed_extras_.load(std::memory_order_acquire) == nullptr) return extras_;
    return ChangedExtras();
  }
  /// Sets a baggage item; see WithBaggageItem. Throws std::bad_alloc.
  void SetBaggageItem(std::string_view key, std::string_view value);

  /// Returns a copy of the current state.
  propagation::Context Snapshot() const;

  // opentracing::SpanContext:
  void ForeachBaggageItem(
      std::function<bool(const std::string& key, const std::string& value)> visit) const override;
  std::unique_ptr<opentracing::SpanContext> Clone() const noexcept override;
  /// Returns 32 lower-case hex digits, 16 if the upper half is 0, or "" for a context without ids.
  std::string ToTraceID() const noexcept override;
  /// Returns 16 lower-case hex digits, or "" for a context without ids.
  std::string ToSpanID() const noexcept override;

 private:
  using Extras = std::shared_ptr<const propagation::ContextExtras>;

  [[gnu::noinline]] Extras ChangedExtras() const;

  const std::uint64_t trace_id_high_;
  const std::uint64_t trace_id_low_;
  const std::uint64_t span_id_;
  const std::uint64_t parent_span_id_;
  const bool random_trace_id_;
  std::atomic<propagation::Decision> decision_;
  const Extras extras_;
  std::atomic<const Extras*> changed_extras_{nullptr};  // replaces extras_ if not null; owned
  mutable SpinLock extras_lock_;                        // guards changed_extras_
};

/// Returns the result of Tracer::Extract after a format was read into `context`: a span context if
/// `found` is true, null if it is false, or its error.
opentracing::expected<std::unique_ptr<opentracing::SpanContext>> MakeExtracted(
    const opentracing::expected<bool>& found, propagation::Context&& context) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SPAN_CONTEXT_H
