// SPDX-License-Identifier: Apache-2.0
// One thread's random walk through the API: one call after another, each chosen by weight.
//
// The calls are in tables, by subject. A call gets its arguments from the World, calls the API,
// checks the result, and leaves it in the World. Thread-safety: one thread at a time, except that
// any thread may call doing().
#ifndef TRACEKIN_FUZZ_API_WALK_H
#define TRACEKIN_FUZZ_API_WALK_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/api/choices.h"
#include "fuzz/api/world.h"

namespace tracekin {

class Walk {
 public:
  struct Call {
    const char* name;
    unsigned weight;
    void (*run)(Walk& walk);
  };

  Walk(World* shared, Choices decisions) : world(*shared), choices(std::move(decisions)) {}

  /// Makes `calls` calls, or fewer if the choices end earlier.
  void Run(std::uint64_t calls);

  /// Returns the running call, for a report on a round that hangs.
  const char* doing() const { return doing_; }

  // Each of these may return null.
  std::shared_ptr<opentracing::Tracer> AnyTracer();
  std::shared_ptr<Tracer> AnyTracekinTracer() { return world.tracers.Get(choices.Below(6)); }
  std::shared_ptr<opentracing::Span> AnySpan() { return world.spans.Get(choices.Below(24)); }
  /// Returns the context of a span, or one that was extracted. It is valid while the first of the
  /// pair is held.
  std::pair<std::shared_ptr<void>, const opentracing::SpanContext*> AnyContext();
  void Keep(std::shared_ptr<opentracing::SpanContext> context) {
    world.contexts.Put(choices.Below(16), std::move(context));
  }

  World& world;
  Choices choices;

 private:
  std::atomic<const char*> doing_{"nothing"};
};

const std::vector<Walk::Call>& SpanCalls();
const std::vector<Walk::Call>& CarrierCalls();
const std::vector<Walk::Call>& TracerCalls();
const std::vector<Walk::Call>& BlkinOriginalCalls();
const std::vector<Walk::Call>& BlkinCephCalls();
const std::vector<Walk::Call>& ForkCalls();

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_API_WALK_H
