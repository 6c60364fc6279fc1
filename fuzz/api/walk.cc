// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/walk.h"

namespace tracekin {

namespace {

// Returns all calls, each repeated as often as its weight.
std::vector<const Walk::Call*> Weighed() {
  std::vector<const Walk::Call*> calls;
  for (const auto* table : {&SpanCalls(), &CarrierCalls(), &TracerCalls(), &ForkCalls(),
                            &BlkinOriginalCalls(), &BlkinCephCalls()}) {
    for (const Walk::Call& call : *table) calls.insert(calls.end(), call.weight, &call);
  }
  return calls;
}

}  // namespace

void Walk::Run(std::uint64_t calls) {
  static const std::vector<const Call*> weighed = Weighed();
  for (; calls != 0 && !choices.ended(); --calls) {
    const Call& call = *weighed[choices.Take<std::uint16_t>() % weighed.size()];
    doing_ = call.name;
    call.run(*this);
  }
  doing_ = "nothing";
}

std::shared_ptr<opentracing::Tracer> Walk::AnyTracer() {
  // Global() locks a mutex of libopentracing, which may stay locked in a forked child.
  if (choices.OneIn(16) && !world.forking()) return opentracing::Tracer::Global();
  if (choices.OneIn(8)) return world.plugin_tracers.Get(choices.Below(2));
  return AnyTracekinTracer();
}

std::pair<std::shared_ptr<void>, const opentracing::SpanContext*> Walk::AnyContext() {
  if (choices.TakeBool()) {
    if (auto span = AnySpan()) {
      const auto* const context = &span->context();
      return {std::move(span), context};
    }
  }
  auto context = world.contexts.Get(choices.Below(16));
  const auto* const borrowed = context.get();
  return {std::move(context), borrowed};
}

}  // namespace tracekin
