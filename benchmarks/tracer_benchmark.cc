// What the OpenTracing API costs its caller, tracer by tracer.
//
// Each measurement is a burst of kBurst operations, which every queue holds, and the queue is
// emptied between bursts: what is timed is the caller's thread alone, and nothing is dropped.
// scripts/bench runs this many times in random order and makes the table of docs/performance.md.

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/allocations.h"
#include "benchmarks/tracers.h"
#include "tracekin/tracer.h"

namespace tracekin {
namespace {

using opentracing::expected;
using opentracing::string_view;

constexpr int kBurst = 5000;

// The carrier that the facts of other tracers were measured with: it looks keys up by comparing
// them.
class Carrier final : public opentracing::HTTPHeadersReader, public opentracing::HTTPHeadersWriter {
 public:
  expected<void> Set(string_view key, string_view value) const override {
    headers_.emplace_back(key, value);
    return {};
  }
  expected<string_view> LookupKey(string_view key) const override {
    for (const auto& header : headers_) {
      if (header.first == key) return string_view{header.second};
    }
    return opentracing::make_unexpected(opentracing::key_not_found_error);
  }
  expected<void> ForeachKey(
      std::function<expected<void>(string_view, string_view)> visit) const override {
    for (const auto& header : headers_) {
      if (auto result = visit(header.first, header.second); !result) return result;
    }
    return {};
  }
  void Clear() const { headers_.clear(); }

 private:
  mutable std::vector<std::pair<std::string, std::string>> headers_;
};

// 64-bit ids, for dd-opentracing has no others.
const std::vector<std::pair<string_view, string_view>> kB3 = {
    {"x-b3-traceid", "48485a3953bb6124"},
    {"x-b3-spanid", "0020000000000001"},
    {"x-b3-parentspanid", "0000000000000000"},
    {"x-b3-sampled", "1"},
    {"x-b3-flags", "0"}};

void SetB3(const Carrier& carrier) {
  for (const auto& header : kB3) {
    if (!carrier.Set(header.first, header.second)) std::abort();
  }
}

std::unique_ptr<opentracing::SpanContext> RemoteParent(const opentracing::Tracer& tracer,
                                                       bool sampled) {
  Carrier carrier;
  for (const auto& header : kB3) {
    const bool decision = header.first == "x-b3-sampled";
    if (!carrier.Set(header.first, decision && !sampled ? "0" : header.second)) std::abort();
  }
  const auto& reader = static_cast<const opentracing::HTTPHeadersReader&>(carrier);
  auto parent = tracer.Extract(reader);
  // The no-op tracer has no contexts: it is given tracekin's, for the reference costs the API
  // something too.
  if (parent && *parent == nullptr) parent = ComparedTracers()[1].tracer->Extract(reader);
  if (!parent || *parent == nullptr) std::abort();
  return std::move(*parent);
}

void Drain(opentracing::Tracer* tracer) {
  if (auto* ours = dynamic_cast<Tracer*>(tracer)) ours->Flush(std::chrono::seconds(10));
}

// Runs `operation` in bursts; reports the allocations of one.
template <class Operation>
void Measure(benchmark::State& state, opentracing::Tracer* tracer, Operation operation) {
  const std::uint64_t before = AllocationsOfThisThread();
  for (auto _ : state) operation();
  const std::uint64_t after = AllocationsOfThisThread();
  state.counters["allocations"] =
      static_cast<double>(after - before) / static_cast<double>(state.iterations());
  Drain(tracer);
}

void RootSpan(benchmark::State& state, opentracing::Tracer* tracer) {
  Measure(state, tracer, [tracer] { tracer->StartSpan("operation")->Finish(); });
}

void ChildSpan(benchmark::State& state, opentracing::Tracer* tracer, bool sampled) {
  const auto parent = RemoteParent(*tracer, sampled);
  Measure(state, tracer, [tracer, &parent] {
    auto span = tracer->StartSpan("operation", {opentracing::ChildOf(parent.get())});
    span->SetTag("http.method", "GET");
    span->SetTag("http.status_code", 200);
    span->SetTag("cache.hit", true);
    span->Log({{"event", "looked up"}});
    span->Finish();
  });
}

void Inject(benchmark::State& state, opentracing::Tracer* tracer) {
  const auto span = tracer->StartSpan("operation");
  const Carrier carrier;
  Measure(state, tracer, [&] {
    carrier.Clear();
    const auto& writer = static_cast<const opentracing::HTTPHeadersWriter&>(carrier);
    if (!tracer->Inject(span->context(), writer)) std::abort();
  });
}

void Extract(benchmark::State& state, opentracing::Tracer* tracer) {
  const Carrier carrier;
  SetB3(carrier);
  Measure(state, tracer, [&] {
    auto context = tracer->Extract(static_cast<const opentracing::HTTPHeadersReader&>(carrier));
    benchmark::DoNotOptimize(context);
  });
}

void CarrierSet(benchmark::State& state) {
  const Carrier carrier;
  Measure(state, nullptr, [&] {
    carrier.Clear();
    SetB3(carrier);
  });
}

void CarrierLookup(benchmark::State& state) {
  const Carrier carrier;
  SetB3(carrier);
  Measure(state, nullptr, [&] {
    for (const auto& header : kB3) benchmark::DoNotOptimize(carrier.LookupKey(header.first));
  });
}

void ClockRead(benchmark::State& state) {
  Measure(state, nullptr, [] { benchmark::DoNotOptimize(std::chrono::steady_clock::now()); });
}

void RegisterAll() {
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(kBurst);
  };
  for (const ComparedTracer& compared : ComparedTracers()) {
    opentracing::Tracer* const tracer = compared.tracer.get();
    const bool sampled = compared.name.find("unsampled") == std::string::npos;
    add("root/" + compared.name, [tracer](benchmark::State& state) { RootSpan(state, tracer); });
    add("child/" + compared.name,
        [tracer, sampled](benchmark::State& state) { ChildSpan(state, tracer, sampled); });
    benchmark::RegisterBenchmark(
        ("child_2_threads/" + compared.name).c_str(),
        [tracer, sampled](benchmark::State& state) { ChildSpan(state, tracer, sampled); })
        ->Iterations(kBurst / 2)
        ->Threads(2);
    if (compared.name == "noop" || !sampled) continue;
    add("inject/" + compared.name, [tracer](benchmark::State& state) { Inject(state, tracer); });
    add("extract/" + compared.name, [tracer](benchmark::State& state) { Extract(state, tracer); });
  }
  add("inject/carrier", CarrierSet);
  add("extract/carrier", CarrierLookup);
  add("clock/steady", ClockRead);
}

}  // namespace
}  // namespace tracekin

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  tracekin::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
