// SPDX-License-Identifier: Apache-2.0
// A host that environment_use_test turns into a set-user-ID program. It sends one span with the
// exporter of the configuration in its argument. Prints how many spans were exported, or why there
// is no tracer.
#include <sys/auxv.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "tracekin/tracer.h"

int main(int, char** argv) {
  if (getauxval(AT_SECURE) == 0) return 77;
  std::string error;
  const auto tracer = tracekin::MakeTracerFromJson(argv[1], &error);
  if (tracer == nullptr) {
    std::printf("%s\n", error.c_str());
    return 0;
  }
  tracer->StartSpan("operation")->Finish();
  tracer->Flush(std::chrono::seconds(10));
  std::printf("exported %llu\n", static_cast<unsigned long long>(tracer->counters().exported));
}
