// SPDX-License-Identifier: Apache-2.0
// Extends BlkKin's API: chooses the tracer that exports BlkKin's spans, and makes them parents and
// children of OpenTracing's spans.
//
// Both dialects of BlkKin's API (in the folders original/ and ceph/ next to this file) record to
// the same place. A program does not need this header if the environment names a configuration. See
// docs/blkin.md.
//
// Thread-safety: any thread may call these at any time.
#ifndef TRACEKIN_BLKIN_H
#define TRACEKIN_BLKIN_H

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

/// Limits on the records that are held in memory until their spans are complete.
struct BlkinLimits {
  std::size_t max_spans = 8192;                  // above this, the longest idle one is reported
  std::size_t max_span_bytes = 32768;            // text per span; above this, the span is reported
  std::size_t max_bytes = 16777216;              // text of all spans
  std::chrono::milliseconds idle_timeout{5000};  // report a span this long after its last record
  std::chrono::milliseconds max_age{60000};      // report a span this long after its first record
};

/// Makes `tracer` export the records of BlkKin's API, instead of the tracer that the environment
/// names. Its sampler decides about each new trace. With nullptr, records become LTTng events only.
/// Earlier records are reported to the previous tracer. The tracer is kept until another one is
/// set. Blocks for as long as it takes to report a few thousand spans.
TRACEKIN_API void SetBlkinTracer(const std::shared_ptr<Tracer>& tracer,
                                 const BlkinLimits& limits = {});

/// Reports all incomplete spans to the tracer as they are, and flushes it (see Tracer::Flush).
/// Returns true if there is no tracer.
TRACEKIN_API bool FlushBlkin(std::chrono::milliseconds timeout) noexcept;

/// Returns the ids of a tracekin span for a message, or for BlkKin's children of the span
/// (blkin_init_child_info, ZTrace, Trace). All are zero if the span is not sampled or belongs to
/// another tracer. BlkKin knows only the lower 64 bits of a trace id. Set trace_id_bits = 64 in the
/// tracer, or Zipkin will show two traces.
inline blkin_trace_info ToBlkin(const opentracing::SpanContext& context) noexcept {
  const auto info = ToTraceInfo(context);
  if (!info) return {0, 0, 0};
  return {info->trace_id, info->span_id, info->parent_span_id};
}

/// Returns the span with these ids as a parent (opentracing::ChildOf) for OpenTracing's spans.
/// Returns nullptr, which means no parent, if it is not traced.
inline std::unique_ptr<opentracing::SpanContext> FromBlkin(const blkin_trace_info& info) noexcept {
  auto context = FromTraceInfo({info.trace_id, info.span_id, info.parent_span_id});
  return context ? std::move(*context) : nullptr;
}

}  // namespace tracekin

#endif  // TRACEKIN_BLKIN_H
