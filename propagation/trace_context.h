// SPDX-License-Identifier: Apache-2.0
// W3C Trace Context: the headers traceparent and tracestate.
//
// Source: W3C Trace Context Level 2. Format: docs/wire-formats.md. Thread-safe because it has no
// state.
#ifndef TRACEKIN_PROPAGATION_TRACE_CONTEXT_H
#define TRACEKIN_PROPAGATION_TRACE_CONTEXT_H

#include "propagation/propagator.h"

namespace tracekin::propagation {

class TraceContext : public Propagator {
 public:
  /// Writes traceparent, and tracestate even if it is empty. Writes nothing if there are no ids.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  /// A malformed tracestate is dropped and never makes the traceparent invalid.
  Extraction Extract(TextLookup* carrier, Context* context, std::string* tracestate) const override;
};

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_TRACE_CONTEXT_H
