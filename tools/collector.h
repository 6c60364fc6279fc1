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
  std::string text;  // the address that was reached, or the failure and a remedy
};

/// Connects to the collector of `options` or to the first broker that answers, or checks the file.
/// Sends an empty list of spans to a Zipkin collector, unless it needs credentials. Returns within
/// the timeouts of the options. REQUIRES: the options are valid.
Reached ReachCollector(const ExporterOptions& options);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_COLLECTOR_H
