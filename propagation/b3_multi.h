// SPDX-License-Identifier: Apache-2.0
// B3 with one header per field: x-b3-traceid, x-b3-spanid, x-b3-parentspanid, x-b3-sampled,
// x-b3-flags.
//
// Source: openzipkin/b3-propagation, "Multiple Headers". Where that is silent, this follows Brave.
// Format: docs/wire-formats.md. Thread-safe because it has no state.
#ifndef TRACEKIN_PROPAGATION_B3_MULTI_H
#define TRACEKIN_PROPAGATION_B3_MULTI_H

#include "propagation/propagator.h"

namespace tracekin::propagation {

class B3Multi : public Propagator {
 public:
  /// Writes all five keys. Omits x-b3-sampled if no decision has been made, and the ids if there
  /// are none.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  Extraction Extract(TextLookup* carrier, Context* context, std::string* tracestate) const override;
};

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_B3_MULTI_H
