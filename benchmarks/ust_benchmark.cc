// What LTTng events cost a span: the same work with a tracer that records them and with one that does not,
// beside the bare events of the same fields and bytes.
//
// While a session listens (scripts/bench --ust runs it with one, and without), the difference of the first two
// is to be compared with the third. Bursts are small, so that LTTng's consumer keeps up and nothing is discarded.

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "tracekin/tracer.h"
#include "ust/recorder.h"

namespace tracekin {
namespace {

constexpr int kBurst = 2000;

std::shared_ptr<Tracer> MakeFileTracer(bool ust) {
  Options options;
  options.service_name = "benchmark";
  options.exporter.path = "/dev/null";
  options.ust.enabled = ust;
  std::string error;
  auto tracer = MakeTracer(options, &error);
  if (tracer == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::exit(1);
  }
  return tracer;
}

void ChildSpan(benchmark::State& state, const std::shared_ptr<Tracer>& tracer) {
  const auto parent = tracer->StartSpan("parent");
  for (auto _ : state) {
    auto span = tracer->StartSpan("operation", {opentracing::ChildOf(&parent->context())});
    span->SetTag("http.method", "GET");
    span->SetTag("http.status_code", 200);
    span->SetTag("cache.hit", true);
    span->Log({{"event", "looked up"}});
    span->Finish();
  }
  tracer->Flush(std::chrono::seconds(10));
}

// The provider that the tracers have loaded.
const tracekin_ust_recorder* Provider() {
  void* library = dlopen(TRACEKIN_UST_SONAME, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* symbol = dlsym(library, "tracekin_ust_provider");
  return symbol == nullptr ? nullptr : reinterpret_cast<decltype(&tracekin_ust_provider)>(symbol)();
}

void BareEvents(benchmark::State& state) {
  const tracekin_ust_recorder* provider = Provider();
  if (provider == nullptr) return state.SkipWithError("there is no libtracekin_ust.so");
  tracekin_ust_span span{};
  span.trace_id_high = span.trace_id_low = span.span_id = span.parent_span_id = 1;
  span.op_name = "operation";
  span.service = "benchmark";
  span.kind = "";
  span.tags = R"({"http.method":"GET","http.status_code":"200","cache.hit":"true"})";
  const tracekin_ust_ids ids{1, 1, 1, 1};
  for (auto _ : state) {
    provider->span_start(&span);
    provider->span_log(TRACEKIN_UST_DEBUG, &ids, "looked up");
    provider->span_finish(&span);
  }
}

}  // namespace
}  // namespace tracekin

int main(int argc, char** argv) {
  const auto off = tracekin::MakeFileTracer(false);
  const auto on = tracekin::MakeFileTracer(true);
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->Iterations(tracekin::kBurst);
  };
  add("ust/off", [&off](benchmark::State& state) { tracekin::ChildSpan(state, off); });
  add("ust/on", [&on](benchmark::State& state) { tracekin::ChildSpan(state, on); });
  add("ust/bare", [](benchmark::State& state) { tracekin::BareEvents(state); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
