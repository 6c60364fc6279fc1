// SPDX-License-Identifier: Apache-2.0
// The state that exists once per process: the table of partial spans, the thread that reports idle
// spans, and the settings from the environment.
//
// Nothing here is ever destroyed, because spans may be recorded while static objects are destroyed.
// After a fork the child has an empty table, new random numbers and its own thread, and the parent
// is not affected. At exit the spans left in the table are reported before the tracer is closed.
// Thread-safety: any thread may call these functions at any time.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_PROCESS_H
#define TRACEKIN_INTEGRATIONS_BLKIN_PROCESS_H

#include "integrations/blkin/partial_spans.h"

#include <cstdint>

namespace tracekin::blkin {

/// On the first call in a process, loads the LTTng provider, reads RATE, and makes the tracer that
/// the environment configures unless there is one. This is too slow for a request's path. Later
/// calls cost one load, or wait for the first call. Returns the same as blkin_init.
int Initialise() noexcept;

PartialSpans& Spans() noexcept;

/// Sets the tracer to which spans are reported. See SetBlkinTracer.
void SetTracer(const std::shared_ptr<Tracer>& tracer, const BlkinLimits& limits);

/// Returns whether to record a new trace: decided by RATE if it is set, otherwise by the tracer's
/// sampler.
bool Sample(std::int64_t trace_id) noexcept;

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_PROCESS_H
