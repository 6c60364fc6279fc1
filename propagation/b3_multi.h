// SPDX-License-Identifier: Apache-2.0
// B3 in one header a field: x-b3-traceid, x-b3-spanid, x-b3-parentspanid, x-b3-sampled, x-b3-flags.
//
// Source: openzipkin/b3-propagation, "Multiple Headers"; where that is silent, Brave decides.
// Format: docs/wire-formats.md. Thread-safe: no state.
#ifndef TRACEKIN_PROPAGATION_B3_MULTI_H
#define TRACEKIN_PROPAGATION_B3_MULTI_H

#include "propagation/propagator.h"

namespace tracekin {

class B3Multi : public Propagator {
 public:
  /// Writes all five keys; x-b3-sampled is missing if nobody has decided, and the ids are if there
  /// are none.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const override;

  Extraction Extract(TextLookup* carrier, Context* context, std::string* tracestate) const override;
};

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_B3_MULTI_H
