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

/// Returns the API's no-op tracer, which is the lower bound; tracekin, exporting to a sink and not
/// sampling; and Debian's dd-opentracing if it was available at build time, sampling (without an
/// agent) and not sampling.
const std::vector<ComparedTracer>& ComparedTracers();

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_TRACERS_H
