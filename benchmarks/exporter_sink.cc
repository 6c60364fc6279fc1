// SPDX-License-Identifier: Apache-2.0
// A collector, and an agent for dd-opentracing, that only reads: prints its port and answers until it is killed.
// POST /error is answered by 500, /hang never, all else by success.
#include <unistd.h>

#include <cstdio>

#include "benchmarks/sink.h"

int main() {
  std::puts(tracekin::StartSink().c_str());
  std::fflush(stdout);
  for (;;) pause();
}
