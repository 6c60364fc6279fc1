// SPDX-License-Identifier: Apache-2.0
// Calls that make, query, flush, close and release tracers.
#include <chrono>
#include <string>
#include <utility>

#include "fuzz/api/walk.h"
#include "fuzz/check.h"
#include "tracekin/configuration.h"

namespace tracekin {

namespace {

void Replace(Walk& walk) {
  walk.world.tracers.Put(walk.choices.Below(6), walk.world.MakeTracer(&walk.choices));
}

void ReplaceByPlugins(Walk& walk) {
  walk.world.plugin_tracers.Put(walk.choices.Below(2), walk.world.MakePluginTracer(&walk.choices));
}

void Retire(Walk& walk) {
  if (walk.choices.OneIn(4)) {
    walk.world.plugin_tracers.Put(walk.choices.Below(2), nullptr);
  } else {
    walk.world.tracers.Put(walk.choices.Below(6), nullptr);
  }
}

void Close(Walk& walk) {
  if (const auto tracer = walk.AnyTracer()) tracer->Close();
}

void Flush(Walk& walk) {
  const auto tracer = walk.AnyTracekinTracer();
  if (tracer != nullptr) tracer->Flush(std::chrono::milliseconds(walk.choices.Below(8)));
}

void AskForCounters(Walk& walk) {
  if (const auto tracer = walk.AnyTracekinTracer()) World::CheckCounters(*tracer);
}

void Sample(Walk& walk) {
  const auto tracer = walk.AnyTracekinTracer();
  if (tracer != nullptr) tracer->Sample(walk.choices.Number<std::uint64_t>());
}

Endpoint AnyEndpoint(Choices* choices, std::string* text) {
  *text = choices->Text();
  return {*text, *text, *text, choices->Number<std::uint16_t>()};
}

void Report(Walk& walk) {
  const auto tracer = walk.AnyTracekinTracer();
  if (tracer == nullptr) return;
  Choices& choices = walk.choices;
  std::string texts[5];
  for (std::string& text : texts) text = choices.Text();
  SpanRecord record;
  record.trace_id_high = choices.Number<std::uint64_t>();
  record.trace_id_low = choices.Number<std::uint64_t>();
  record.span_id = choices.Number<std::uint64_t>();
  record.parent_span_id = choices.Number<std::uint64_t>();
  record.start_ns = choices.Number<std::int64_t>();
  record.duration_ns = choices.Number<std::int64_t>();
  record.kind = static_cast<SpanKind>(choices.Below(5));
  record.debug = choices.TakeBool();
  record.shared = choices.TakeBool();
  record.name = texts[0];
  record.local = AnyEndpoint(&choices, &texts[1]);
  record.remote = AnyEndpoint(&choices, &texts[2]);
  if (choices.TakeBool()) record.tags = {{texts[3], texts[4]}, {"a", texts[0]}};
  if (choices.TakeBool()) record.annotations = {{choices.Number<std::int64_t>(), texts[4]}};
  tracer->Report(record);
}

void ReadConfiguration(Walk& walk) {
  Options options;
  options.service_name = walk.choices.Text();
  options.sampler.rate = walk.choices.Below(200) / 100.0;
  std::string error;
  if (!ValidateOptions(options, &error)) return;
  Options read;
  CHECK(ParseConfiguration(PrintConfiguration(options), &read, &error));
  CHECK(read.service_name == options.service_name);
}

}  // namespace

const std::vector<Walk::Call>& TracerCalls() {
  static const std::vector<Walk::Call> calls = {
      {"MakeTracer", 2, Replace},
      {"the plugin's MakeTracer", 1, ReplaceByPlugins},
      {"~Tracer", 1, Retire},
      {"Close", 1, Close},
      {"Flush", 2, Flush},
      {"counters", 20, AskForCounters},
      {"Sample", 20, Sample},
      {"Report", 30, Report},
      {"ParseConfiguration", 2, ReadConfiguration},
  };
  return calls;
}

}  // namespace tracekin
