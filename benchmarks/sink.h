// SPDX-License-Identifier: Apache-2.0
// A collector that accepts everything: an HTTP server on loopback that reads each request and
// answers immediately. It answers paths under /error with 500, never answers those under /hang, and
// answers all others with 200. Its threads and connections end with the process.
#ifndef TRACEKIN_BENCHMARKS_SINK_H
#define TRACEKIN_BENCHMARKS_SINK_H

#include <string>

namespace tracekin {

/// Starts a sink and returns its URL. Exits the process if that fails.
std::string StartSink();

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_SINK_H
