// SPDX-License-Identifier: Apache-2.0
// usage: loading PLUGIN CONFIGURATION
// Loads the plugin and makes a span named "loaded". It depends only on OpenTracing.
#include <opentracing/dynamic_load.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::string error;
  const auto library = opentracing::DynamicallyLoadTracingLibrary(argv[1], error);
  if (!library) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  const auto tracer = library->tracer_factory().MakeTracer(argv[2], error);
  if (!tracer) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  (*tracer)->StartSpan("loaded")->Finish();
  (*tracer)->Close();
  return 0;
}
