// SPDX-License-Identifier: Apache-2.0
// The seam between the tracer and a wire format for text carriers (HTTP headers, text maps).
//
// Implementations hold no state: their methods may be called from any thread.
#ifndef TRACEKIN_PROPAGATION_PROPAGATOR_H
#define TRACEKIN_PROPAGATION_PROPAGATOR_H

#include <opentracing/propagation.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "propagation/context.h"

namespace tracekin {

/// What a format found in a carrier.
enum class Extraction {
  kNothing,    // none of its keys
  kFound,      // ids, or a decision only
  kCorrupted,  // its keys, but not what the format demands
};

class TextLookup;  // propagation/text_lookup.h: reads keys of a carrier, by LookupKey or in one
                   // pass

class Propagator {
 public:
  virtual ~Propagator() = default;

  /// Writes `context`. The set of keys is the same for all contexts with ids and a decision (nginx
  /// forwards only the keys that it saw at start-up); a format whose keys carry baggage names is
  /// the documented exception. Returns the carrier's own error, if it has one. Allocates nothing
  /// unless there is baggage. Throws std::bad_alloc, and what the carrier throws.
  virtual opentracing::expected<void> Inject(const Context& context,
                                             const opentracing::TextMapWriter& carrier) const = 0;

  /// Reads ids and decision into `context`, and the W3C tracestate that belongs to them, if there
  /// is one, into `tracestate`. Leaves both alone unless it returns kFound. Throws as above.
  virtual Extraction Extract(TextLookup* /*carrier*/, Context* /*context*/,
                             std::string* /*tracestate*/) const {
    return Extraction::kNothing;
  }

  /// Adds the format's baggage items to `baggage`, except those whose key is there already. Skips
  /// those that are malformed or exceed the limits. Throws as above.
  virtual void ExtractBaggage(TextLookup* /*carrier*/, Baggage* /*baggage*/) const {}
};

/// Makes the propagator of a format by its name in the configuration: b3, b3multi, tracecontext,
/// baggage, jaeger. nullptr if there is none of that name.
std::unique_ptr<Propagator> MakePropagator(std::string_view name);

/// The names above, for messages and documentation.
std::vector<std::string_view> PropagatorNames();

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_PROPAGATOR_H
