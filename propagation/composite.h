// SPDX-License-Identifier: Apache-2.0
// All formats that a tracer was configured with, as one.
//
// Immutable after Make: any thread may call its methods.
#ifndef TRACEKIN_PROPAGATION_COMPOSITE_H
#define TRACEKIN_PROPAGATION_COMPOSITE_H

#include <opentracing/propagation.h>

#include <memory>
#include <string>
#include <vector>

#include "propagation/context.h"
#include "propagation/propagator.h"

namespace tracekin {

class Propagation {
 public:
  /// Formats are named as in MakePropagator. Returns nullptr, and says why in `error`, if one of
  /// them is unknown or stands twice in a list.
  static std::unique_ptr<Propagation> Make(const std::vector<std::string>& inject,
                                           const std::vector<std::string>& extract,
                                           std::string* error);

  /// Writes `context` in each inject format. Returns the carrier's own error, at which it stops;
  /// std::errc::not_enough_memory; or std::errc::io_error if the carrier throws.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const;

  /// Reads into `context`, which is left alone unless this returns true, for `found`.
  ///
  /// The extract formats are tried in their order. The first that finds ids gives them; the first
  /// that finds a decision gives that, even if it found no ids. A corrupted one is passed over.
  /// Then each format adds the baggage it carries; where two carry the same key, the first one's
  /// item stays. Ids, a decision and baggage each count as found on their own. If there is neither
  /// an id nor a decision, but a corrupted format, the error is span_context_corrupted_error; the
  /// others are those of Inject.
  opentracing::expected<bool> Extract(const opentracing::TextMapReader& carrier,
                                      Context* context) const;

 private:
  Propagation() = default;

  opentracing::expected<bool> Read(const opentracing::TextMapReader& carrier,
                                   Context* context) const;
  Extraction ReadIds(TextLookup* carrier, Context* context, std::string* tracestate) const;

  std::vector<std::unique_ptr<Propagator>> inject_;
  std::vector<std::unique_ptr<Propagator>> extract_;
};

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_COMPOSITE_H
