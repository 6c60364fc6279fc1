// SPDX-License-Identifier: Apache-2.0
#include "tracer/span_context.h"

#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "base/hex.h"

namespace tracekin {

SpanContext::SpanContext(propagation::Context&& context) noexcept
    : trace_id_high_(context.trace_id_high),
      trace_id_low_(context.trace_id_low),
      span_id_(context.span_id),
      parent_span_id_(context.parent_span_id),
      random_trace_id_(context.random_trace_id),
      decision_(context.decision),
      extras_(std::move(context.extras)) {}

const SpanContext* SpanContext::Cast(const opentracing::SpanContext* context) noexcept {
  // Compares the addresses of the type_info objects, not their names. If a process contains two
  // copies of tracekin, each must accept only its own contexts, because their layouts may differ. A
  // dynamic_cast compares names and is slower.
  if (context == nullptr || &typeid(*context) != &typeid(SpanContext)) return nullptr;
  return static_cast<const SpanContext*>(context);
}

SpanContext::Extras SpanContext::ChangedExtras() const {
  const std::lock_guard<SpinLock> lock(extras_lock_);
  return *changed_extras_.load(std::memory_order_relaxed);
}

// Makes the changed copy without the lock, so that no thread spins during an allocation. Makes it
// again if another thread was faster.
void SpanContext::SetBaggageItem(std::string_view key, std::string_view value) {
  for (;;) {
    const Extras before = extras();
    auto changed = std::make_unique<const Extras>(propagation::WithBaggageItem(before, key, value));
    if (*changed == before) return;
    const std::lock_guard<SpinLock> lock(extras_lock_);
    const Extras* const old = changed_extras_.load(std::memory_order_relaxed);
    if ((old == nullptr ? extras_ : *old) != before) continue;
    changed_extras_.store(changed.release(), std::memory_order_release);
    changed.reset(old);  // deleted after the lock is released
    return;
  }
}

propagation::Context SpanContext::Snapshot() const {
  propagation::Context context;
  context.trace_id_high = trace_id_high_;
  context.trace_id_low = trace_id_low_;
  context.span_id = span_id_;
  context.parent_span_id = parent_span_id_;
  context.random_trace_id = random_trace_id_;
  context.decision = decision();
  context.extras = extras();
  return context;
}

void SpanContext::ForeachBaggageItem(
    std::function<bool(const std::string& key, const std::string& value)> visit) const {
  const std::shared_ptr<const propagation::ContextExtras> extras = this->extras();
  if (extras == nullptr) return;
  for (const auto& item : extras->baggage) {
    if (!visit(item.first, item.second)) return;
  }
}

std::unique_ptr<opentracing::SpanContext> SpanContext::Clone() const noexcept {
  return std::unique_ptr<opentracing::SpanContext>(new (std::nothrow) SpanContext(Snapshot()));
}

std::string SpanContext::ToTraceID() const noexcept try {
  if (!has_ids()) return {};
  char text[32];
  if (trace_id_high_ == 0) {
    EncodeHex(trace_id_low_, text);
    return {text, 16};
  }
  EncodeHex(trace_id_high_, text);
  EncodeHex(trace_id_low_, text + 16);
  return {text, 32};
} catch (...) {
  return {};
}

std::string SpanContext::ToSpanID() const noexcept try {
  if (!has_ids()) return {};
  char text[16];
  EncodeHex(span_id_, text);
  return {text, 16};
} catch (...) {
  return {};
}

opentracing::expected<std::unique_ptr<opentracing::SpanContext>> MakeExtracted(
    const opentracing::expected<bool>& found, propagation::Context&& context) noexcept {
  if (!found) return opentracing::make_unexpected(found.error());
  std::unique_ptr<opentracing::SpanContext> result;
  if (!*found) return result;
  result.reset(new (std::nothrow) SpanContext(std::move(context)));
  if (result == nullptr) {
    return opentracing::make_unexpected(std::make_error_code(std::errc::not_enough_memory));
  }
  return result;
}

}  // namespace tracekin
