// SPDX-License-Identifier: Apache-2.0
// Measures what calls of the OpenTracing API cost the caller with each tracer.
//
// Each measurement is a burst of kBurst operations, which fits into every tracer's queue, and the
// queue is emptied between bursts. So only the caller's thread is timed and nothing is dropped.
// scripts/bench runs this many times in random order and makes the table of docs/performance.md.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "benchmarks/allocations.h"
#include "benchmarks/tracers.h"
#include "benchmarks/works.h"
#include "tests/propagation/ceph_fronts.h"
#include "tracekin/carriers.h"
#include "tracekin/ceph.h"
#include "tracekin/tracer.h"

namespace tracekin {
namespace {

constexpr int kBurst = 5000;

void Drain(opentracing::Tracer* tracer) {
  if (auto* ours = dynamic_cast<Tracer*>(tracer)) ours->Flush(std::chrono::seconds(10));
}

// Runs `operation` in bursts and reports the number of allocations per operation.
template <class Operation>
void Measure(benchmark::State& state, opentracing::Tracer* tracer, Operation operation) {
  const std::uint64_t before = AllocationsOfThisThread();
  for (auto _ : state) operation();
  const std::uint64_t after = AllocationsOfThisThread();
  state.counters["allocations"] =
      static_cast<double>(after - before) / static_cast<double>(state.iterations());
  Drain(tracer);
}

void Root(benchmark::State& state, opentracing::Tracer* tracer) {
  Measure(state, tracer, [tracer] { tracer->StartSpan("operation")->Finish(); });
}

void Child(benchmark::State& state, opentracing::Tracer* tracer, bool sampled) {
  const auto parent = RemoteParent(*tracer, sampled, *ComparedTracers()[1].tracer);
  Measure(state, tracer, [tracer, &parent] { ChildSpan(*tracer, *parent); });
}

void Inject(benchmark::State& state, opentracing::Tracer* tracer) {
  const auto span = tracer->StartSpan("operation");
  const HeadersCarrier carrier;
  Measure(state, tracer, [&] {
    carrier.Clear();
    if (!tracer->Inject(span->context(), carrier.writer())) std::abort();
  });
}

void Extract(benchmark::State& state, opentracing::Tracer* tracer) {
  const HeadersCarrier carrier;
  SetB3(carrier);
  Measure(state, tracer, [&] {
    auto context = tracer->Extract(carrier.reader());
    benchmark::DoNotOptimize(context);
  });
}

void CarrierSet(benchmark::State& state) {
  const HeadersCarrier carrier;
  Measure(state, nullptr, [&] {
    carrier.Clear();
    SetB3(carrier);
  });
}

void CarrierLookup(benchmark::State& state) {
  const HeadersCarrier carrier;
  SetB3(carrier);
  Measure(state, nullptr, [&] { LookUpB3(carrier); });
}

void CopyBytes(benchmark::State& state) {
  char from[24] = {1};
  char to[24];
  Measure(state, nullptr, [&] {
    benchmark::DoNotOptimize(from);
    std::memcpy(to, from, sizeof to);
    benchmark::DoNotOptimize(to);
  });
}

void InjectIds(benchmark::State& state, const opentracing::Tracer* tracer) {
  const auto span = tracer->StartSpan("operation");
  char bytes[24];
  Measure(state, nullptr, [&] {
    if (!InjectBytes(span->context(), BytesFormat::kCeph, bytes, sizeof bytes)) std::abort();
  });
}

void InjectIntoOsdOp(benchmark::State& state, const opentracing::Tracer* tracer) {
  const auto span = tracer->StartSpan("operation");
  CephFront op = RealCephFronts().front();
  Measure(state, nullptr, [&] {
    if (!InjectCeph(span->context(), op.header, &op.front)) std::abort();
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
    add("root/" + compared.name, [tracer](benchmark::State& state) { Root(state, tracer); });
    add("child/" + compared.name,
        [tracer, sampled](benchmark::State& state) { Child(state, tracer, sampled); });
    benchmark::RegisterBenchmark(
        ("child_2_threads/" + compared.name).c_str(),
        [tracer, sampled](benchmark::State& state) { Child(state, tracer, sampled); })
        ->Iterations(kBurst / 2)
        ->Threads(2);
    if (compared.name == "noop" || !sampled) continue;
    add("inject/" + compared.name, [tracer](benchmark::State& state) { Inject(state, tracer); });
    add("extract/" + compared.name, [tracer](benchmark::State& state) { Extract(state, tracer); });
  }
  add("inject/carrier", CarrierSet);
  add("extract/carrier", CarrierLookup);
  opentracing::Tracer* const ours = ComparedTracers()[1].tracer.get();
  add("bytes/memcpy", CopyBytes);
  add("bytes/tracekin", [ours](benchmark::State& state) { InjectIds(state, ours); });
  add("ceph/tracekin", [ours](benchmark::State& state) { InjectIntoOsdOp(state, ours); });
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
