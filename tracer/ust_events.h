// SPDX-License-Identifier: Apache-2.0
// Records the events of a live span as LTTng-UST events (docs/ust-events.md). While no session
// records them, each call costs one load and a comparison, and prepares nothing.
//
// None of these functions is a cancellation point, although LTTng may write to a pipe in them.
//
// Thread-safety: any function may be called from any thread. A caller that passes a span's writer
// must hold the span's lock.
#ifndef TRACEKIN_TRACER_UST_EVENTS_H
#define TRACEKIN_TRACER_UST_EVENTS_H

#include "tracer/span_context.h"
#include "tracer/span_writer.h"
#include "ust/recorder.h"

namespace tracekin {

class TracerImpl;

/// Returns whether any session would record a span that starts now.
bool UstListensToSpans() noexcept;

/// Returns whether any session would record a log entry of any severity.
bool UstListensToLogs() noexcept;

void EmitSpanStart(const TracerImpl& tracer, const SpanContext& context,
                   const SpanWriter& span) noexcept;
void EmitSpanFinish(const TracerImpl& tracer, const SpanContext& context,
                    const SpanWriter& span) noexcept;

/// `entries` are a log entry and its fields, as SpanWriter::AddLog returns them. Their text is from
/// the application and may not be valid UTF-8.
void EmitSpanLog(const SpanContext& context, tracekin_ust_level level,
                 std::string_view entries) noexcept;

/// Record that a scope begins or ends. The functions set `ids->tid`.
void RecordScopeEnter(tracekin_ust_ids* ids) noexcept;
void RecordScopeExit(tracekin_ust_ids* ids) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_UST_EVENTS_H
