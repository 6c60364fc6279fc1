// SPDX-License-Identifier: Apache-2.0
// B3 in one header: `b3: {trace id}-{span id}[-{state}[-{parent span id}]]`, or the state alone.
//
// Source: openzipkin/b3-propagation, "Single Header". Where that is silent, this follows Brave.
// Format: docs/wire-formats.md. Thread-safe because it has no state.
#ifndef TRACEKIN_PROPAGATION_B3_SINGLE_H
#define TRACEKIN_PROPAGATION_B3_SINGLE_H

#include "propagation/propagator.h"

namespace tracekin::propagation {

class B3Single : public Propagator {
 public:
  /// Writes the key b3, or nothing if there are neither ids nor a decision.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  Extraction Extract(TextLookup* carrier, Context* context, std::string* tracestate) const override;
};

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_B3_SINGLE_H
