// SPDX-License-Identifier: Apache-2.0
// What the process has one of: the table of partial spans, the thread that reports the idle ones,
// and what the environment said.
//
// Nothing here is ever destroyed, for spans may be recorded while static objects are. A fork leaves
// the child with an empty table, random numbers and a thread of its own; the parent goes on. At
// exit what is left in the table is reported, before the tracer is closed. Thread-safety: any
// thread may call these at any time.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_PROCESS_H
#define TRACEKIN_INTEGRATIONS_BLKIN_PROCESS_H

#include "integrations/blkin/partial_spans.h"

namespace tracekin::blkin {

/// At its first call in a process, loads the LTTng provider, reads RATE, and makes the tracer that
/// the environment names, if there is none yet; not for a request's path. Other calls cost a load,
/// or wait for the first. Returns what blkin_init does.
int Initialise() noexcept;

PartialSpans& Spans() noexcept;

/// Makes `tracer` the one that spans are reported to; see SetBlkinTracer.
void SetTracer(const std::shared_ptr<Tracer>& tracer, const BlkinLimits& limits);

/// Whether a new trace is to be recorded: by RATE if that is set, else by the tracer's sampler.
bool Sample(std::int64_t trace_id) noexcept;

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_PROCESS_H
