// SPDX-License-Identifier: Apache-2.0
// What a program can do with BlkKin's spans that BlkKin itself had no words for: choose the tracer
// that exports them, and make them parents and children of OpenTracing's spans.
//
// Both dialects of BlkKin's API (original/ and ceph/ beside this file) record to the same place;
// none of this is needed where the environment names a configuration. See docs/blkin.md.
//
// Thread-safety: any thread may call these at any time.
#ifndef TRACEKIN_BLKIN_TRACEKIN_BLKIN_H
#define TRACEKIN_BLKIN_TRACEKIN_BLKIN_H

#include <opentracing/span.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "tracekin/blkin/trace_info.h"
#include "tracekin/carriers.h"
#include "tracekin/export.h"
#include "tracekin/tracer.h"

namespace tracekin {

/// What of BlkKin's records is held in memory until it is a whole span.
struct BlkinLimits {
  std::size_t max_spans = 8192;        // at once; beyond it the one that is idle for longest goes
  std::size_t max_span_bytes = 32768;  // text of one span; beyond it the span goes
  std::size_t max_bytes = 16777216;    // text of all spans
  std::chrono::milliseconds idle_timeout{5000};  // after its last record a span goes
  std::chrono::milliseconds max_age{60000};      // after its first record a span goes
};

/// Has what BlkKin's API records exported by `tracer`, instead of the tracer that the environment
/// names, and asks its sampler for each new trace; nullptr: records are LTTng events only. What was
/// recorded before goes to the tracer that was set before. The tracer is kept until another is set.
/// Blocks for as long as it takes to hand some thousand spans over.
TRACEKIN_API void SetBlkinTracer(const std::shared_ptr<Tracer>& tracer,
                                 const BlkinLimits& limits = {});

/// Hands the spans that are not whole yet to the tracer as they are, and flushes that; see
/// Tracer::Flush. True where there is no tracer.
TRACEKIN_API bool FlushBlkin(std::chrono::milliseconds timeout) noexcept;

/// The ids of an OpenTracing span of tracekin's, for BlkKin's children of it
/// (blkin_init_child_info, ZTrace, Trace) or for a message. All zero if the span is not sampled, or
/// another tracer's. BlkKin knows the lower 64 bits of a trace id only: give the tracer
/// trace_id_bits = 64, or Zipkin takes them for two traces.
inline blkin_trace_info ToBlkin(const opentracing::SpanContext& context) noexcept {
  const auto info = ToTraceInfo(context);
  if (!info) return {0, 0, 0};
  return {info->trace_id, info->span_id, info->parent_span_id};
}

/// The span whose ids these are, as a parent (opentracing::ChildOf) of OpenTracing's spans.
/// nullptr, as of no parent, if it is not traced.
inline std::unique_ptr<opentracing::SpanContext> FromBlkin(const blkin_trace_info& info) noexcept {
  auto context = FromTraceInfo({info.trace_id, info.span_id, info.parent_span_id});
  return context ? std::move(*context) : nullptr;
}

}  // namespace tracekin

#endif  // TRACEKIN_BLKIN_TRACEKIN_BLKIN_H
