// SPDX-License-Identifier: Apache-2.0
// Measures what LTTng events cost a span. The same work is done with a tracer that records events
// ("on"), with one that does not ("off"), and with the latter plus bare events of the same fields
// and bytes in the same places ("bare").
//
// The benchmark compares how much "on" and "bare" cost beyond "off". scripts/bench --ust runs it
// with a listening session and without one. Bursts are small, so that LTTng's consumer keeps up and
// nothing is discarded.

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "benchmarks/works.h"
#include "ust/recorder.h"

namespace tracekin {
namespace {

constexpr int kBurst = 2000;

std::shared_ptr<Tracer> MakeFileTracer(bool ust) {
  Options options;
  options.service_name = "benchmark";
  options.exporter.path = "/dev/null";
  options.ust.enabled = ust;
  return MustMakeTracer(options);
}

// Returns the provider that the tracers have loaded, or nullptr.
const tracekin_ust_recorder* Provider() {
  void* library = dlopen(TRACEKIN_UST_SONAME, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* symbol = dlsym(library, "tracekin_ust_provider");
  return symbol == nullptr ? nullptr : reinterpret_cast<decltype(&tracekin_ust_provider)>(symbol)();
}

// The events of the span in Run(), with all their fields prepared.
class BareEvents {
 public:
  BareEvents() {
    span_.trace_id_high = span_.trace_id_low = span_.span_id = span_.parent_span_id = 1;
    span_.op_name = "operation";
    span_.service = "benchmark";
    span_.kind = "";
    span_.tags = R"({"http.method":"GET","http.status_code":"200","cache.hit":"true"})";
  }
  void Start() const { provider_->span_start(&span_); }
  void Log() const { provider_->span_log(TRACEKIN_UST_DEBUG, &ids_, "looked up"); }
  void Finish() const { provider_->span_finish(&span_); }

 private:
  const tracekin_ust_recorder* const provider_ = Provider();
  tracekin_ust_span span_{};
  const tracekin_ust_ids ids_{1, 1, 1, 1};
};

struct NoEvents {
  void Start() const {}
  void Log() const {}
  void Finish() const {}
};

template <class Events>
void Run(benchmark::State& state, const std::shared_ptr<Tracer>& tracer, const Events& events) {
  const auto parent = tracer->StartSpan("parent");
  for (auto _ : state) {
    auto span = tracer->StartSpan("operation", {opentracing::ChildOf(&parent->context())});
    events.Start();
    span->SetTag("http.method", "GET");
    span->SetTag("http.status_code", 200);
    span->SetTag("cache.hit", true);
    span->Log({{"event", "looked up"}});
    events.Log();
    span->Finish();
    events.Finish();
  }
  tracer->Flush(std::chrono::seconds(10));
}

}  // namespace
}  // namespace tracekin

int main(int argc, char** argv) {
  const auto off = tracekin::MakeFileTracer(false);
  const auto on = tracekin::MakeFileTracer(true);
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->Iterations(tracekin::kBurst);
  };
  const tracekin::BareEvents bare;
  const tracekin::NoEvents none;
  add("ust/off", [&](benchmark::State& state) { tracekin::Run(state, off, none); });
  add("ust/on", [&](benchmark::State& state) { tracekin::Run(state, on, none); });
  add("ust/bare", [&](benchmark::State& state) { tracekin::Run(state, off, bare); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
