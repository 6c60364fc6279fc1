// SPDX-License-Identifier: Apache-2.0
// Combines all formats that a tracer is configured with.
//
// Immutable after Make: any thread may call its methods.
#ifndef TRACEKIN_PROPAGATION_PROPAGATION_H
#define TRACEKIN_PROPAGATION_PROPAGATION_H

#include <opentracing/propagation.h>

#include <memory>
#include <string>
#include <vector>

#include "propagation/context.h"
#include "propagation/propagator.h"

namespace tracekin::propagation {

class Propagation {
 public:
  /// Makes the formats from their names (see MakePropagator). Returns nullptr and puts the reason
  /// into `error` if a name is unknown or occurs twice in a list.
  static std::unique_ptr<Propagation> Make(const std::vector<std::string>& inject,
                                           const std::vector<std::string>& extract,
                                           std::string* error);

  /// Writes `context` in each inject format. Stops at the first error of the carrier and returns
  /// it. Returns std::errc::not_enough_memory if memory runs out, and std::errc::io_error if the
  /// carrier throws.
  opentracing::expected<void> Inject(const Context& context,
                                     const opentracing::TextMapWriter& carrier) const;

  /// Reads into `context` and returns whether it found anything. Changes `context` only when it
  /// returns true.
  ///
  /// Tries the extract formats in their order. The first one with ids determines the ids. The first
  /// one with a decision determines the decision, even if it has no ids. Corrupted formats are
  /// skipped. Then each format adds its baggage. If two formats have the same key, the first one's
  /// item is kept. Ids, a decision and baggage each count as found on their own. Fails with
  /// span_context_corrupted_error if a format is corrupted and neither an id nor a decision was
  /// found. The other errors are those of Inject.
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

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_PROPAGATION_H
