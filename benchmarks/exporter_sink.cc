// SPDX-License-Identifier: Apache-2.0
// A collector, and an agent for dd-opentracing, that only reads requests. Prints its port and
// answers until it is killed. It answers POST /error with 500, never answers /hang, and answers all
// other requests with success.
#include <unistd.h>

#include <cstdio>

#include "benchmarks/sink.h"

int main() {
  std::puts(tracekin::StartSink().c_str());
  std::fflush(stdout);
  for (;;) pause();
}
