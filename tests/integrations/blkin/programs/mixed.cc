// SPDX-License-Identifier: Apache-2.0
// A program that uses both APIs: an OpenTracing span, BlkKin's child of it, OpenTracing's child of
// that, and so on. Prints the ids of BlkKin's spans in the same way as the other programs.
#include <tracekin/blkin.h>
#include <tracekin/configuration.h>

#include <iostream>
#include <ztracer.hpp>

namespace {

void Show(const char* label, const ZTracer::Trace& trace) {
  const blkin_trace_info* info = trace.get_info();
  std::cout << label << ' ' << info->trace_id << ' ' << info->span_id << ' ' << info->parent_span_id
            << '\n';
}

}  // namespace

int main() {
  tracekin::Options options;
  options.service_name = "gateway";
  options.trace_id_bits = 64;
  std::string error;
  if (!tracekin::ApplyEnvironment(&options, &error)) return 1;
  const auto tracer = tracekin::MakeTracer(options, &error);
  if (tracer == nullptr) return 1;
  tracekin::SetBlkinTracer(tracer);

  const ZTracer::Endpoint endpoint("10.0.0.1", 6800, "osd.1");
  const auto request = tracer->StartSpan("request");
  const blkin_trace_info parent = tracekin::ToBlkin(request->context());
  const ZTracer::Trace op("osd op", &endpoint, &parent, true);
  Show("op", op);
  op.event("start");
  const auto check =
      tracer->StartSpan("check", {opentracing::ChildOf(tracekin::FromBlkin(*op.get_info()).get())});
  const blkin_trace_info of_check = tracekin::ToBlkin(check->context());
  const ZTracer::Trace journal("journal", &endpoint, &of_check, true);
  Show("journal", journal);
  journal.event("end");
  check->Finish();
  op.event("end");
  request->Finish();
  return tracekin::FlushBlkin(std::chrono::seconds(20)) ? 0 : 1;
}
