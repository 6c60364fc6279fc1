// SPDX-License-Identifier: Apache-2.0
#include "propagation/propagator.h"

#include "propagation/b3_multi.h"
#include "propagation/b3_single.h"
#include "propagation/jaeger.h"
#include "propagation/trace_context.h"
#include "propagation/w3c_baggage.h"

namespace tracekin::propagation {

namespace {

template <typename Format>
std::unique_ptr<Propagator> Make() {
  return std::make_unique<Format>();
}

struct Entry {
  std::string_view name;
  std::unique_ptr<Propagator> (*make)();
};

constexpr Entry kFormats[] = {
    {"b3", Make<B3Single>},        {"b3multi", Make<B3Multi>}, {"tracecontext", Make<TraceContext>},
    {"baggage", Make<W3cBaggage>}, {"jaeger", Make<Jaeger>},
};

}  // namespace

std::unique_ptr<Propagator> MakePropagator(std::string_view name) {
  for (const Entry& format : kFormats) {
    if (format.name == name) return format.make();
  }
  return nullptr;
}

std::vector<std::string_view> PropagatorNames() {
  std::vector<std::string_view> names;
  for (const Entry& format : kFormats) names.push_back(format.name);
  return names;
}

}  // namespace tracekin::propagation
