// SPDX-License-Identifier: Apache-2.0
// Jaeger's own headers: uber-trace-id, uberctx-<key> for each baggage item, and two for people with
// curl, jaeger-debug-id and jaeger-baggage.
//
// Source: Jaeger documentation 1.18, "Client Libraries", section "Propagation Format". Format:
// docs/wire-formats.md. Thread-safe: no state.
#ifndef TRACEKIN_PROPAGATION_JAEGER_H
#define TRACEKIN_PROPAGATION_JAEGER_H

#include "propagation/propagator.h"

namespace tracekin {

class Jaeger : public Propagator {
 public:
  /// Writes uber-trace-id if there are ids, and a key for each item whose own key can be part of a
  /// header's name: the keys depend on the baggage.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  Extraction Extract(TextLookup* carrier, Context* context, std::string* tracestate) const override;

  /// Keys that begin with a prefix cannot be looked up: this iterates a carrier that answers
  /// LookupKey if there is an uber-trace-id, and only then.
  void ExtractBaggage(TextLookup* carrier, Baggage* baggage) const override;
};

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_JAEGER_H
