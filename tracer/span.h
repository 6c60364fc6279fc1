// SPDX-License-Identifier: Apache-2.0
// A span of a live tracer.
//
// A span that is neither sampled nor recorded by an LTTng session keeps only its name and context.
// The tag sampling.priority may change that during its lifetime.
//
// Ownership: the application owns it by a unique_ptr. A span keeps its tracer alive. Thread-safety:
// any method may be called from any thread; each span has one lock.
#ifndef TRACEKIN_TRACER_SPAN_H
#define TRACEKIN_TRACER_SPAN_H

#include <opentracing/span.h>
#include <opentracing/tracer.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/spin_lock.h"
#include "tracer/span_context.h"
#include "tracer/span_writer.h"

namespace tracekin {

class TracerImpl;

class Span final : public opentracing::Span {
 public:
  struct Start {
    std::int64_t wall_ns;
    std::int64_t steady_ns;
  };

  Span(TracerImpl* tracer, propagation::Context&& context, std::string_view name, Start start,
       bool recording) noexcept;
  ~Span() override;

  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  /// Adds a reference, unless it refers to the parent. The tracer calls this before the application
  /// gets the span.
  void AddLink(opentracing::SpanReferenceType type, const SpanContext& context) noexcept;

  /// Records the start. The tracer calls this after it has set the initial tags.
  void RecordStart() noexcept;

  // opentracing::Span:
  void FinishWithOptions(const opentracing::FinishSpanOptions& options) noexcept override;
  void SetOperationName(opentracing::string_view name) noexcept override;
  void SetTag(opentracing::string_view key, const opentracing::Value& value) noexcept override;
  void SetBaggageItem(opentracing::string_view key,
                      opentracing::string_view value) noexcept override;
  std::string BaggageItem(opentracing::string_view key) const noexcept override;
  void Log(std::initializer_list<std::pair<opentracing::string_view, opentracing::Value>>
               fields) noexcept override;
  void Log(opentracing::SystemTime timestamp,
           std::initializer_list<std::pair<opentracing::string_view, opentracing::Value>>
               fields) noexcept override;
  void Log(opentracing::SystemTime timestamp,
           const std::vector<std::pair<opentracing::string_view, opentracing::Value>>&
               fields) noexcept override;
  const opentracing::SpanContext& context() const noexcept override { return context_; }
  const opentracing::Tracer& tracer() const noexcept override;

 private:
  // All calls inside the functions below are inlined, because calls of small functions would
  // dominate their cost; see docs/performance.md. The functions are not inlined into their callers,
  // which return immediately if nothing is recorded.
  [[gnu::flatten, gnu::noinline]] void RecordTag(std::string_view key,
                                                 const opentracing::Value& value) noexcept;
  template <class Fields>
  [[gnu::flatten, gnu::noinline]] void LogAt(std::int64_t timestamp_ns,
                                             const Fields& fields) noexcept;
  template <class Fields>
  void AddLog(std::int64_t timestamp_ns, const Fields& fields) noexcept;
  void TakeTag(std::string_view key, const opentracing::Value& value) noexcept;
  [[gnu::noinline]] void SetPriority(const opentracing::Value& value) noexcept;
  void StartRecording() noexcept;
  [[gnu::noinline]] void RecordFinish(const opentracing::FinishSpanOptions& options) noexcept;
  bool recording() const { return recording_.load(std::memory_order_relaxed); }

  // Holds the lock. The writer is then consistent, even in the child of a fork whose parent had
  // another thread in the middle of a change.
  class Locked {
   public:
    explicit Locked(Span* span) noexcept : span_(*span) {
      if (!span_.lock_.lock()) span_.Renew();
    }
    ~Locked() { span_.lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

   private:
    Span& span_;
  };
  [[gnu::noinline, gnu::cold]] void Renew() noexcept;

  TracerImpl* const tracer_;
  SpanContext context_;
  const std::int64_t start_steady_ns_;
  const std::uint32_t fork_generation_;
  std::atomic<bool> recording_;        // changed under the lock
  std::atomic<bool> finished_{false};  // changed under the lock
  SpinLock lock_;
  SpanWriter writer_;  // used under the lock
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SPAN_H
