// SPDX-License-Identifier: Apache-2.0
// A program that was written for Ceph's BlkKin, and takes what tracekin adds.
#include <tracekin/blkin.h>

#include <ztracer.hpp>

int main(int, char** arguments) {
  tracekin::Options options;
  options.service_name = "consumer";
  options.trace_id_bits = 64;
  options.exporter.path = arguments[1];
  const auto tracer = tracekin::MakeTracer(options);
  if (tracer == nullptr) return 1;
  tracekin::SetBlkinTracer(tracer);
  const ZTracer::Endpoint endpoint("osd.1");
  const ZTracer::Trace trace("osd op", &endpoint);
  tracer->StartSpan("check", {opentracing::ChildOf(tracekin::FromBlkin(*trace.get_info()).get())});
  trace.event("end");
  return tracekin::FlushBlkin(std::chrono::seconds(20)) ? 0 : 1;
}
