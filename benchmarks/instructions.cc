// SPDX-License-Identifier: Apache-2.0
// Counts the instructions of the hot paths for benchmarks/instructions_test.py, which runs this
// program under
//
//   valgrind --tool=callgrind --separate-threads=yes
//
// Instruction counts do not depend on other processes, so they reveal a change of a few per cent.
// Each dump that callgrind writes covers kTimes operations and is named after the work.

#include <opentracing/noop.h>
#include <valgrind/callgrind.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "benchmarks/works.h"
#include "tests/propagation/ceph_fronts.h"
#include "tracekin/carriers.h"
#include "tracekin/ceph.h"
#include "tracekin/tracer.h"
#include "tracekin/transport.h"

namespace tracekin {
namespace {

constexpr int kTimes = 10000;

// Accepts every batch and discards it. The instructions that the calling thread executes for the
// second kTimes spans are dumped as `work`, because callgrind's requests apply to the calling
// thread.
class Nowhere final : public Transport {
 public:
  explicit Nowhere(std::string work) : work_(std::move(work)) {}

  SendResult Send(const std::string& body, Clock::time_point) override {
    CALLGRIND_TOGGLE_COLLECT;  // counting is not part of the work
    spans_ += SpansIn(body);
    CALLGRIND_TOGGLE_COLLECT;
    if (spans_ == kTimes) CALLGRIND_ZERO_STATS;
    if (spans_ == 2 * kTimes) CALLGRIND_DUMP_STATS_AT(work_.c_str());
    return {SendStatus::kAccepted, {}};
  }
  void Interrupt(Clock::time_point) noexcept override {}
  void AbandonAfterFork() noexcept override {}

 private:
  // Counts the spans by the log entry that each span of ChildSpan has.
  static int SpansIn(const std::string& body) {
    constexpr std::string_view kLog = "looked up";
    int spans = 0;
    for (std::size_t at = 0; (at = body.find(kLog, at)) != std::string::npos; ++at) ++spans;
    return spans;
  }

  const std::string work_;
  int spans_ = 0;
};

std::shared_ptr<Tracer> Make(const std::string& sampler, const std::string& format = "json") {
  Options options;
  options.service_name = "benchmark";
  options.sampler.type = sampler;
  options.propagation.inject = {"b3multi"};
  options.propagation.extract = {"b3multi"};
  options.exporter.format = format;
  options.exporter.flush_interval_ms = 60'000;
  options.exporter.make_transport = [format] {
    return std::make_unique<Nowhere>("export/" + format);
  };
  return MustMakeTracer(options);
}

// The first 100 operations are not counted: they touch memory for the first time and fill the
// allocator's caches.
void Count(const std::string& work, const std::function<void()>& operation) {
  for (int i = 0; i < 100; ++i) operation();
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < kTimes; ++i) operation();
  CALLGRIND_DUMP_STATS_AT(work.c_str());
}

void CountSpans(const std::string& name, const opentracing::Tracer& tracer, bool sampled,
                const opentracing::Tracer& other) {
  Count("root/" + name, [&] { tracer.StartSpan("operation")->Finish(); });
  const auto parent = RemoteParent(tracer, sampled, other);
  Count("child/" + name, [&] { ChildSpan(tracer, *parent); });
}

void CountHeaders(const Tracer& tracer) {
  const auto parent = tracer.StartSpan("parent");  // so that the span has all headers
  const auto span = tracer.StartSpan("operation", {opentracing::ChildOf(&parent->context())});
  const HeadersCarrier carrier;
  const auto must = [](bool ok) {
    if (!ok) std::abort();
  };
  Count("headers/set", [&] { carrier.Clear(), SetB3(carrier); });
  Count("headers/inject", [&] {
    carrier.Clear();
    must(tracer.Inject(span->context(), carrier.writer()).has_value());
  });
  Count("headers/look up", [&] { LookUpB3(carrier); });
  Count("headers/extract", [&] { must(tracer.Extract(carrier.reader()).has_value()); });
}

void CountBytes(const Tracer& tracer) {
  const auto span = tracer.StartSpan("operation");
  char bytes[24];
  CephFront op = RealCephFronts().front();
  Count("bytes/inject", [&] { InjectBytes(span->context(), BytesFormat::kCeph, bytes, 24); });
  Count("bytes/extract", [&] { ExtractBytes(BytesFormat::kCeph, bytes, 24); });
  Count("ceph/inject", [&] { InjectCeph(span->context(), op.header, &op.front); });
  Count("ceph/extract", [&] { ExtractCeph(op.header, op.front.data(), op.front.size()); });
}

// Counts the instructions that encode spans into a request's body.
void CountExport(const std::string& format) {
  const auto tracer = Make("always", format);
  const auto parent = RemoteParent(*tracer, true, *tracer);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < kTimes; ++j) ChildSpan(*tracer, *parent);
    if (!tracer->Flush(std::chrono::seconds(60))) std::abort();
  }
}

void CountAll() {
  {
    const auto exported = Make("always");
    const auto unsampled = Make("never");
    CountSpans("noop", *opentracing::MakeNoopTracer(), true, *exported);
    CountSpans("tracekin, not sampled", *unsampled, false, *exported);
    CountSpans("tracekin", *exported, true, *exported);
    CountHeaders(*exported);
    CountBytes(*exported);
  }
  CountExport("json");
  CountExport("proto3");
}

}  // namespace
}  // namespace tracekin

int main() {
  tracekin::CountAll();
  return 0;
}
