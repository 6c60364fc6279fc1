// SPDX-License-Identifier: Apache-2.0
// Measures how long a host waits until a plugin has made its first span. Each process measures it
// once, because a process can load a plugin only once; benchmarks/load_report.py repeats it.
//
//   load_benchmark PLUGIN CONFIGURATION [LIBRARY...]    LIBRARY: loaded by the host beforehand
//
// Prints one line of JSON, in milliseconds: loading the plugin and finding its factory, making a
// tracer, the first span, the sum of these, and the process's CPU time for them.

#include <dlfcn.h>
#include <opentracing/dynamic_load.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

int Fail(const char* error) {
  std::fprintf(stderr, "%s\n", error);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 3; i < argc; ++i) {
    if (dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL) == nullptr) return Fail(dlerror());
  }
  std::string error;
  const std::clock_t cpu = std::clock();
  const auto start = Clock::now();
  const auto library = opentracing::DynamicallyLoadTracingLibrary(argv[1], error);
  const auto loaded = Clock::now();
  if (!library) return Fail(error.c_str());
  const auto tracer = library->tracer_factory().MakeTracer(argv[2], error);
  const auto made = Clock::now();
  if (!tracer) return Fail(error.c_str());
  (*tracer)->StartSpan("first")->Finish();
  const auto finished = Clock::now();
  const double cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  std::printf("{\"load\": %.3f, \"make\": %.3f, \"span\": %.3f, \"all\": %.3f, \"cpu\": %.3f}\n",
              Milliseconds(loaded - start), Milliseconds(made - loaded),
              Milliseconds(finished - made), Milliseconds(finished - start), 1e3 * cpu_seconds);
  (*tracer)->Close();
  return 0;
}
