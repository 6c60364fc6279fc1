// SPDX-License-Identifier: Apache-2.0
// Tests how much of its caller's stack each call of the API uses, because coroutines have small
// stacks.
//
// A call runs on a separate stack that was filled with a pattern. Bytes that no longer contain it
// were used.

#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/carriers.h"
#include "tests/support/listener.h"
#include "tests/support/temp_folder.h"
#include "tracekin/scope.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

// The test ust_stack runs this program while an LTTng session records.
const bool kIsRecorded = std::getenv("TRACEKIN_UST_ENABLED") != nullptr;

// The limits that docs/reliability.md promises.
const std::size_t kSpanCallBytes = kIsRecorded ? 16 * 1024 : 8 * 1024;
const std::size_t kTracerCallBytes = 32 * 1024;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr bool kMeasures = false;  // their frames are many times as large
#else
constexpr bool kMeasures = true;
#endif

class PaintedStack {
 public:
  /// Runs `call` on this stack. Returns the number of bytes that it has used.
  std::size_t BytesOf(const std::function<void()>& call) {
    std::fill(bytes_.begin(), bytes_.end(), kPaint);
    call_ = &call;
    ucontext_t on_it{};
    getcontext(&on_it);
    on_it.uc_stack.ss_sp = bytes_.data();
    on_it.uc_stack.ss_size = bytes_.size();
    on_it.uc_link = &caller_;
    current = this;
    makecontext(&on_it, Run, 0);
    swapcontext(&caller_, &on_it);
    const auto used = std::find_if(bytes_.begin(), bytes_.end(),
                                   [](unsigned char byte) { return byte != kPaint; });
    return static_cast<std::size_t>(std::distance(used, bytes_.end()));
  }

 private:
  static constexpr unsigned char kPaint = 0xa7;
  static thread_local PaintedStack* current;

  static void Run() { (*current->call_)(); }

  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(256 * 1024);
  const std::function<void()>* call_ = nullptr;
  ucontext_t caller_{};
};

thread_local PaintedStack* PaintedStack::current = nullptr;

/// The maximum that each call has used, by its name.
class StackOf {
 public:
  void Measure(const std::string& name, const std::function<void()>& call) {
    const std::size_t nothing = stack_.BytesOf([] {});
    const std::size_t bytes = stack_.BytesOf(call);
    most_[name] = std::max(most_[name], bytes - std::min(bytes, nothing));
  }

  void ExpectAtMost(std::size_t limit) const {
    for (const auto& [name, bytes] : most_) {
      std::printf("%6zu bytes of stack: %s\n", bytes, name.c_str());
      EXPECT_GT(bytes, 0u) << name << ": is it measured at all?";
      EXPECT_LE(bytes, limit) << name;
    }
  }

 private:
  PaintedStack stack_;
  std::map<std::string, std::size_t> most_;
};

// Returns the longest headers that Extract reads.
Pairs LongHeaders() {
  Pairs headers = {{"b3", "80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1-05e3ac9a4f6e3b90"},
                   {"uber-trace-id", "1:2:3:1"},
                   {"traceparent", "00-80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-01"}};
  std::string tracestate;
  std::string baggage;
  for (int i = 0; i < 32; ++i) {
    tracestate += "k" + std::to_string(i) + "=" + std::string(100, 'v') + ",";
    baggage += "b" + std::to_string(i) + "=%20%ff" + std::string(200, 'v') + ";p,";
  }
  headers.pairs.emplace_back("tracestate", tracestate);
  headers.pairs.emplace_back("baggage", baggage);
  headers.pairs.emplace_back("jaeger-baggage", baggage);
  for (int i = 0; i < 64; ++i) headers.pairs.emplace_back("uberctx-" + std::to_string(i), "%20+");
  return headers;
}

void MeasureSpan(const Tracer& tracer, StackOf* stack) {
  const auto headers = LongHeaders();
  const auto& reader = static_cast<const opentracing::TextMapReader&>(headers);
  std::unique_ptr<opentracing::SpanContext> parent;
  stack->Measure("Extract", [&] { parent = std::move(*tracer.Extract(reader)); });
  std::unique_ptr<opentracing::Span> span;
  stack->Measure("StartSpan", [&] {
    span = tracer.StartSpan("operation", {opentracing::ChildOf(parent.get()),
                                          opentracing::SetTag{"span.kind", "server"}});
  });
  stack->Measure("Scope", [&] { const Scope scope(*span); });
  stack->Measure("SetTag", [&] { span->SetTag("key", "value"); });
  stack->Measure("SetTag, a list", [&] {
    span->SetTag("list", opentracing::Values{1, 2.5, "three", true});
  });
  stack->Measure("SetTag, sampling.priority", [&] { span->SetTag("sampling.priority", "1e-300"); });
  stack->Measure("Log", [&] { span->Log({{"event", "e v"}, {"number", 1.25}, {"flag", true}}); });
  stack->Measure("SetTag, a long text", [&] { span->SetTag("long", std::string(100'000, '"')); });
  stack->Measure("SetBaggageItem", [&] { span->SetBaggageItem("key", "value"); });
  stack->Measure("BaggageItem", [&] { span->BaggageItem("key"); });
  Pairs carrier;
  stack->Measure("Inject", [&] {
    ASSERT_TRUE(
        tracer.Inject(span->context(), static_cast<const opentracing::TextMapWriter&>(carrier)));
  });
  std::stringstream stream;
  stack->Measure("Inject, binary", [&] { tracer.Inject(span->context(), stream); });
  stack->Measure("Extract, binary", [&] { tracer.Extract(stream); });
  stack->Measure("Finish", [&] { span->Finish(); });
  stack->Measure("destruction", [&] { span.reset(); });
  stack->Measure("counters", [&] { tracer.counters(); });
}

TEST(Stack, ASpansCallsFitIntoSmallOnes) {
  if (!kMeasures) GTEST_SKIP() << "frames are larger without optimisation or with a sanitizer";
  const TempFolder folder;
  for (const char* sampler : {"always", "never"}) {
    StackOf stack;
    Options options;
    options.service_name = "stack";
    options.exporter.path = folder.path() + "/spans";
    options.sampler.type = sampler;
    options.ust.enabled = kIsRecorded;
    options.propagation.inject = options.propagation.extract;
    const std::shared_ptr<Tracer> tracer = MakeTracer(options);
    ASSERT_NE(tracer, nullptr);
    // Each thread's first calls initialise state.
    for (int i = 0; i < 2; ++i) {
      std::thread([&] {
        for (int j = 0; j < 2; ++j) MeasureSpan(*tracer, &stack);
      }).join();
    }
    stack.ExpectAtMost(kSpanCallBytes);
  }
}

TEST(Stack, MakingAndClosingATracerFitsIntoAModestOne) {
  if (!kMeasures) GTEST_SKIP() << "frames are larger without optimisation or with a sanitizer";
  const Listener nobody(16);  // connections wait and are never answered
  StackOf stack;
  const std::string json =
      R"({"service_name": "stack", "ust": {"enabled": )" +
      std::string(kIsRecorded ? "true" : "false") +
      R"(}, "exporter": {"close_timeout_ms": 100, "endpoint": "http://127.0.0.1:)" +
      std::to_string(nobody.port()) + R"(/api/v2/spans"}})";
  std::shared_ptr<Tracer> tracer;
  std::string error;
  stack.Measure("MakeTracerFromJson", [&] { tracer = MakeTracerFromJson(json, &error); });
  ASSERT_NE(tracer, nullptr) << error;
  tracer->StartSpan("a");
  stack.Measure("Flush", [&] { tracer->Flush(std::chrono::milliseconds(10)); });
  stack.Measure("Close", [&] { tracer->Close(); });
  stack.Measure("giving up the tracer", [&] { tracer.reset(); });
  stack.Measure("MakeTracerFromJson, refused",
                [&] { return MakeTracerFromJson("{\"x\": 1}", &error); });
  stack.ExpectAtMost(kTracerCallBytes);
}

}  // namespace
}  // namespace tracekin::testing
