// SPDX-License-Identifier: Apache-2.0
// Starts a span and works on it in one line:
//
//   void Charge(const opentracing::Tracer& tracer) {
//     const auto span = tracekin::StartActiveSpan(tracer, "charge");
//     span->SetTag("currency", "EUR");
//     ...
//   }  // the span finishes here
//
// Thread-safety: a ScopedSpan belongs to the thread that made it. Other threads may use the span
// itself while the ScopedSpan lives.
#ifndef TRACEKIN_SCOPED_SPAN_H
#define TRACEKIN_SCOPED_SPAN_H

#include <opentracing/tracer.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "tracekin/export.h"
#include "tracekin/scope.h"

namespace tracekin {

/// Owns a span that is active on this thread. The destructor ends the Scope and finishes the span.
class ScopedSpan {
 public:
  /// `span` may be null. Then no span is active, and the operators * and -> must not be used.
  [[nodiscard]] explicit ScopedSpan(std::unique_ptr<opentracing::Span> span) noexcept
      : span_(std::move(span)) {
    if (span_ != nullptr) scope_.emplace(*span_);
  }

  ScopedSpan(const ScopedSpan&) = delete;
  ScopedSpan& operator=(const ScopedSpan&) = delete;

  explicit operator bool() const noexcept { return span_ != nullptr; }
  opentracing::Span* get() const noexcept { return span_.get(); }
  opentracing::Span& operator*() const noexcept { return *span_; }
  opentracing::Span* operator->() const noexcept { return span_.get(); }

 private:
  const std::unique_ptr<opentracing::Span> span_;
  std::optional<Scope> scope_;  // destroyed before the span
};

/// Starts a span as a child of ActiveSpan() and makes it the active span of this thread. Without an
/// active span it begins a new trace. If `options` contain a reference, such as ChildOf(context),
/// the active span is not the parent. `tracer` may be of any vendor. Like StartSpan, returns a null
/// span only if there is no memory.
[[nodiscard]] TRACEKIN_API ScopedSpan StartActiveSpan(
    const opentracing::Tracer& tracer, opentracing::string_view name,
    std::initializer_list<opentracing::option_wrapper<opentracing::StartSpanOption>> options =
        {}) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_SCOPED_SPAN_H
