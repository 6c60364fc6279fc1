// SPDX-License-Identifier: Apache-2.0
// Jaeger's own headers: uber-trace-id, uberctx-<key> for each baggage item, and two for manual use
// with curl: jaeger-debug-id and jaeger-baggage.
//
// Source: Jaeger documentation 1.18, "Client Libraries", section "Propagation Format". Format:
// docs/wire-formats.md. Thread-safe because it has no state.
#ifndef TRACEKIN_PROPAGATION_JAEGER_H
#define TRACEKIN_PROPAGATION_JAEGER_H

#include "propagation/propagator.h"

namespace tracekin::propagation {

class Jaeger : public Propagator {
 public:
  /// Writes uber-trace-id if there are ids, and one key for each item whose own key can be part of
  /// a header name. The set of keys therefore depends on the baggage.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  Extraction Extract(TextLookup* carrier, Context* context, std::string* tracestate) const override;

  /// A carrier that supports LookupKey is iterated only if there is an uber-trace-id. Iteration is
  /// necessary because keys with a prefix cannot be looked up.
  void ExtractBaggage(TextLookup* carrier, Baggage* baggage) const override;
};

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_JAEGER_H
