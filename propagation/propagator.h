// SPDX-License-Identifier: Apache-2.0
// The interface between the tracer and a wire format for text carriers (HTTP headers, text maps).
//
// Implementations hold no state, so any thread may call their methods.
#ifndef TRACEKIN_PROPAGATION_PROPAGATOR_H
#define TRACEKIN_PROPAGATION_PROPAGATOR_H

#include <opentracing/propagation.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "propagation/context.h"

namespace tracekin::propagation {

/// The result of reading a format from a carrier.
enum class Extraction {
  kNothing,    // the carrier has none of its keys
  kFound,      // ids, or a decision only
  kCorrupted,  // the carrier has its keys, but with invalid values
};

class TextLookup;  // propagation/text_lookup.h: reads keys of a carrier, by LookupKey or in one
                   // pass

class Propagator {
 public:
  virtual ~Propagator() = default;

  /// Writes `context`. The set of keys is the same for all contexts with ids and a decision,
  /// because nginx forwards only the keys that it saw at start-up. A format whose keys contain
  /// baggage names is the documented exception. Returns the carrier's error, if any. Allocates
  /// nothing unless there is baggage. Throws std::bad_alloc and any exception of the carrier.
  virtual opentracing::expected<void> Inject(const Context& context,
                                             const opentracing::TextMapWriter& carrier) const = 0;

  /// Reads ids and decision into `context`, and the corresponding W3C tracestate, if any, into
  /// `tracestate`. Changes both only when it returns kFound. Throws like Inject.
  virtual Extraction Extract(TextLookup* /*carrier*/, Context* /*context*/,
                             std::string* /*tracestate*/) const {
    return Extraction::kNothing;
  }

  /// Adds the format's baggage items to `baggage`, except those whose key already exists. Skips
  /// items that are malformed or exceed the limits. Throws like Inject.
  virtual void ExtractBaggage(TextLookup* /*carrier*/, Baggage* /*baggage*/) const {}
};

/// Makes the propagator with this name in the configuration (b3, b3multi, tracecontext, baggage or
/// jaeger), or returns nullptr if the name is unknown.
std::unique_ptr<Propagator> MakePropagator(std::string_view name);

/// Returns the names above, for messages and documentation.
std::vector<std::string_view> PropagatorNames();

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_PROPAGATOR_H
