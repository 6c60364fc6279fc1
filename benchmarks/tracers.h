// SPDX-License-Identifier: Apache-2.0
// The tracers that are compared, each made once.
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

/// The API's no-op tracer, which no tracer can be faster than; tracekin exporting to a sink, and
/// not sampling; Debian's dd-opentracing, if it was there at build time, sampling (its agent is not
/// there) and not.
const std::vector<ComparedTracer>& ComparedTracers();

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_TRACERS_H
