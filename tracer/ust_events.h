// SPDX-License-Identifier: Apache-2.0
// A live span's moments as LTTng-UST events (docs/ust-events.md). While no session listens each
// call costs one load and a comparison; nothing is prepared before that test.
//
// None of them is a cancellation point, though LTTng may write to a pipe in them.
//
// Thread-safety: any thread; the span's own lock is held where its writer is passed.
#ifndef TRACEKIN_TRACER_UST_EVENTS_H
#define TRACEKIN_TRACER_UST_EVENTS_H

#include "tracer/span_context.h"
#include "tracer/span_writer.h"
#include "ust/recorder.h"

namespace tracekin {

class TracerImpl;

/// Whether any session would record a span that starts now.
bool UstListensToSpans() noexcept;

/// Whether any session would record a log entry, of whatever severity.
bool UstListensToLogs() noexcept;

void RecordSpanStart(const TracerImpl& tracer, const SpanContext& context,
                     const SpanWriter& span) noexcept;
void RecordSpanFinish(const TracerImpl& tracer, const SpanContext& context,
                      const SpanWriter& span) noexcept;

/// `message` is text as the application gave it, and followed by a NUL.
void RecordSpanLog(const SpanContext& context, tracekin_ust_level level,
                   std::string_view message) noexcept;

/// `ids.tid` is filled in here.
void RecordScopeEnter(tracekin_ust_ids* ids) noexcept;
void RecordScopeExit(tracekin_ust_ids* ids) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_UST_EVENTS_H
