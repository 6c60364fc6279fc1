// SPDX-License-Identifier: Apache-2.0
// W3C Baggage: all items in the header baggage.
//
// Source: W3C Baggage, section 3.3. Format: docs/wire-formats.md. Thread-safe: no state.
#ifndef TRACEKIN_PROPAGATION_W3C_BAGGAGE_H
#define TRACEKIN_PROPAGATION_W3C_BAGGAGE_H

#include "propagation/propagator.h"

namespace tracekin {

class W3cBaggage : public Propagator {
 public:
  /// Writes the key baggage, even if it is empty. Leaves out items whose key the format cannot
  /// carry, and those that would make the header longer than kMaxBaggageBytes.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  void ExtractBaggage(TextLookup* carrier, Baggage* baggage) const override;
};

/// Adds the members of a list key=value[;property...],... as Propagator::ExtractBaggage does.
void ParseBaggageList(std::string_view list, Baggage* baggage);

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_W3C_BAGGAGE_H
