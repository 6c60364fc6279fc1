// SPDX-License-Identifier: Apache-2.0
// tracekin's binary form of a context, for std::ostream and std::istream carriers.
//
// OpenTracing leaves this format to the tracer, and tracers differ. This one is fixed and
// versioned, and docs/wire-formats.md specifies it. Thread-safe: the functions use only their
// arguments.
#ifndef TRACEKIN_PROPAGATION_BINARY_H
#define TRACEKIN_PROPAGATION_BINARY_H

#include <opentracing/propagation.h>

#include <istream>
#include <ostream>

#include "propagation/context.h"

namespace tracekin::propagation {

/// Appends `context` to `carrier` without flushing it. Fails with std::errc::io_error if the stream
/// is not good or fails. Fails with invalid_span_context_error if baggage or tracestate exceed the
/// limits of context.h. Never throws, even if exceptions are enabled in the stream.
opentracing::expected<void> InjectBinary(const Context& context, std::ostream& carrier);

/// Reads one context from the current position of `carrier` and leaves the position right after it.
/// Returns false if the stream is at its end. Changes `context` only when it returns true. Fails
/// with std::errc::io_error if the stream is not good or fails. Fails with
/// span_context_corrupted_error unless it reads a complete and valid context. Reads and keeps less
/// than 16 KiB. Never throws, even if exceptions are enabled in the stream.
opentracing::expected<bool> ExtractBinary(std::istream& carrier, Context* context);

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_BINARY_H
