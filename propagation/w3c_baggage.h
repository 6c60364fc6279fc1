// SPDX-License-Identifier: Apache-2.0
// W3C Baggage: all items in the header baggage.
//
// Source: W3C Baggage, section 3.3. Format: docs/wire-formats.md. Thread-safe because it has no
// state.
#ifndef TRACEKIN_PROPAGATION_W3C_BAGGAGE_H
#define TRACEKIN_PROPAGATION_W3C_BAGGAGE_H

#include "propagation/propagator.h"

namespace tracekin::propagation {

class W3cBaggage : public Propagator {
 public:
  /// Writes the key baggage, even if it is empty. Omits items whose key the format cannot
  /// represent, and items that would make the header longer than kMaxBaggageBytes.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  void ExtractBaggage(TextLookup* carrier, Baggage* baggage) const override;
};

/// Adds the members of a list key=value[;property...],... in the same way as
/// Propagator::ExtractBaggage.
void ParseBaggageList(std::string_view list, Baggage* baggage);

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_W3C_BAGGAGE_H
