// SPDX-License-Identifier: Apache-2.0
// A collector that takes everything: an HTTP server on loopback that reads each request and answers at
// once, with 500 under the path /error, under /hang never, with 200 under all others. Its threads and
// connections end with the process.
#ifndef TRACEKIN_BENCHMARKS_SINK_H
#define TRACEKIN_BENCHMARKS_SINK_H

#include <string>

namespace tracekin {

/// Starts one and returns its URL. Exits the process if it cannot.
std::string StartSink();

}  // namespace tracekin

#endif  // TRACEKIN_BENCHMARKS_SINK_H
