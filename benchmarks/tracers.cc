// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/tracers.h"

#include <opentracing/noop.h>

#include "benchmarks/sink.h"
#include "benchmarks/works.h"

#ifdef TRACEKIN_HAVE_DATADOG
#include <datadog/opentracing.h>
#endif

namespace tracekin {

namespace {

std::shared_ptr<opentracing::Tracer> MakeTracekin(const char* sampler, const std::string& sink) {
  Options options;
  options.service_name = "benchmark";
  options.sampler.type = sampler;
  options.propagation.inject = {"b3multi"};
  options.propagation.extract = {"b3multi"};
  options.exporter.endpoint = sink;
  return MustMakeTracer(options);
}

#ifdef TRACEKIN_HAVE_DATADOG
std::shared_ptr<opentracing::Tracer> MakeDatadog(double rate) {
  datadog::opentracing::TracerOptions options;
  options.service = "benchmark";
  options.agent_port = 1;  // no agent listens there
  options.sample_rate = rate;
  options.extract = {datadog::opentracing::PropagationStyle::B3};
  options.inject = {datadog::opentracing::PropagationStyle::B3};
  options.log_func = [](datadog::opentracing::LogLevel, opentracing::string_view) {};
  return datadog::opentracing::makeTracer(options);
}
#endif

std::vector<ComparedTracer> MakeAll() {
  const std::string sink = StartSink();
  std::vector<ComparedTracer> tracers;
  tracers.push_back({"noop", opentracing::MakeNoopTracer()});
  tracers.push_back({"tracekin", MakeTracekin("always", sink)});
  tracers.push_back({"tracekin_unsampled", MakeTracekin("never", sink)});
#ifdef TRACEKIN_HAVE_DATADOG
  tracers.push_back({"datadog", MakeDatadog(1)});
  tracers.push_back({"datadog_unsampled", MakeDatadog(0)});
#endif
  return tracers;
}

}  // namespace

const std::vector<ComparedTracer>& ComparedTracers() {
  static const auto* const tracers = new std::vector<ComparedTracer>(MakeAll());
  return *tracers;
}

}  // namespace tracekin
