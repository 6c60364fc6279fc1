// SPDX-License-Identifier: Apache-2.0
// usage: linked FILE
// Links to tracekin, includes each of its headers, writes one span to FILE and checks that it
// arrived.
#include <tracekin/carriers.h>
#include <tracekin/ceph.h>
#include <tracekin/configuration.h>
#include <tracekin/counters.h>
#include <tracekin/export.h>
#include <tracekin/options.h>
#include <tracekin/scope.h>
#include <tracekin/scoped_span.h>
#include <tracekin/testing.h>
#include <tracekin/tracer.h>
#include <tracekin/xseg.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tracekin::Options options;
  std::string error;
  options.exporter.path = argv[1];
  if (!tracekin::ParseConfiguration(R"({"service_name": "linked"})", &options, &error) ||
      !tracekin::ApplyEnvironment(&options, &error) ||
      !tracekin::ValidateOptions(options, &error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  std::puts(tracekin::PrintConfiguration(options).c_str());
  const std::shared_ptr<tracekin::Tracer> tracer = tracekin::MakeTracer(options, &error);
  if (tracer == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  {
    const auto span = tracekin::StartActiveSpan(*tracer, "consumed");
    if (tracekin::ActiveSpan() != span.get()) return 1;
    char request[TRACEKIN_XSEG_SIZE];
    if (!tracer->Inject(span->context(), tracekin::XsegWriter(request, sizeof request)) ||
        tracekin_xseg_clear(request, sizeof request) != 0) {
      return 1;
    }
  }
  tracer->Close();
  const tracekin::Counters counters = tracer->counters();
  return counters.exported == 1 && counters.TotalDropped() == 0 ? 0 : 1;
}
