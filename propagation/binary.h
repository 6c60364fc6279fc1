// SPDX-License-Identifier: Apache-2.0
// tracekin's own binary form of a context, for std::ostream and std::istream carriers.
//
// OpenTracing leaves the format to the tracer and no two agree. This one is fixed and versioned;
// its specification is docs/wire-formats.md. Thread-safe: functions of their arguments.
#ifndef TRACEKIN_PROPAGATION_BINARY_H
#define TRACEKIN_PROPAGATION_BINARY_H

#include <opentracing/propagation.h>

#include <istream>
#include <ostream>

#include "propagation/context.h"

namespace tracekin {

/// Writes `context` at the end of `carrier`, which is not flushed. Fails with std::errc::io_error
/// if the stream is not good or fails, with invalid_span_context_error if baggage or tracestate
/// exceed the limits of context.h. Throws nothing, even if the stream is set to.
opentracing::expected<void> InjectBinary(const Context& context, std::ostream& carrier);

/// Reads one context from where `carrier` stands and leaves the stream right behind it. Returns
/// false if there is nothing left in the stream; `context` is left alone unless this returns true.
/// Fails with std::errc::io_error if the stream is not good or fails, with
/// span_context_corrupted_error on anything but a whole and valid context. Reads and keeps less
/// than 16 KiB. Throws nothing, even if the stream is set to.
opentracing::expected<bool> ExtractBinary(std::istream& carrier, Context* context);

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_BINARY_H
