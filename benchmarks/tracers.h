// SPDX-License-Identifier: Apache-2.0
// The tracers that are compared. Each is made once.
#ifndef TRACEKIN_BENCHMARKS_TRACERS_H
#define TRACEKIN_BENCHMARKS_TRACERS_H

#include <opentracing/tracer.h>

#include <memory>
#include <string>
#include <vector>

namespace tracekin {

struct ComparedTracer {
  std::string name;
  std::shared_ptr<opentracing::Tracer> tracer;
};

/// Returns the API's no-op tracer, which is the lower bound, and two tracers of tracekin: one
/// exports to a sink, and the other does not sample. If Debian's dd-opentracing was available at
/// build time, also returns two of its tracers: one samples (without an agent), and the other does
/// not.
const std::vector<ComparedTracer>& ComparedTracers();

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_TRACERS_H
