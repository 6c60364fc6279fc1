// SPDX-License-Identifier: Apache-2.0
// Looks whether the place to which a tracer would send spans can be reached.
//
// Thread-safety: one thread, because libcurl is initialized.
#ifndef TRACEKIN_TOOLS_COLLECTOR_H
#define TRACEKIN_TOOLS_COLLECTOR_H

#include <string>

#include "tracekin/options.h"

namespace tracekin::tools {

struct Reached {
  bool good = false;
  std::string text;  // what was reached or what failed, and what helps
};

/// Connects to the collector of `options`, or to the first broker that answers, or looks at the
/// file. Sends Zipkin's collectors an empty list of spans, unless they need credentials. Returns
/// after the time-outs of the options at the latest.
/// REQUIRES: the options are valid.
Reached ReachCollector(const ExporterOptions& options);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_COLLECTOR_H
