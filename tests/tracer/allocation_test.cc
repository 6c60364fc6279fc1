// SPDX-License-Identifier: Apache-2.0
// Tests how often spans allocate memory, compared with the API's no-op tracer, and what happens
// when memory runs out. This program replaces operator new, which counts its calls and fails on
// request.

#include <gtest/gtest.h>
#include <opentracing/noop.h>

#include <cstdlib>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/carriers.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"

namespace {

thread_local long allocations = 0;
thread_local long allocations_left = -1;  // allowed before one fails; negative: none fails

void* Allocate(std::size_t size) {
  ++allocations;
  if (allocations_left == 0) return nullptr;
  if (allocations_left > 0) --allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}

// Not inline, because GCC 12 would warn that memory from new is released with free().
[[gnu::noinline]] void Free(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) {
  void* memory = Allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }

namespace tracekin::testing {
namespace {

/// Lets `count` allocations of this thread succeed and all later ones fail, as long as it lives.
struct MemoryFor {
  explicit MemoryFor(long count) { allocations_left = count; }
  ~MemoryFor() { allocations_left = -1; }
};

void Root(const opentracing::Tracer& tracer) { tracer.StartSpan("operation")->Finish(); }

void ThreeTagsAndALog(const opentracing::Tracer& tracer) {
  const auto span = tracer.StartSpan("operation");
  span->SetTag("http.url", "http://example.org/a/path/longer/than/a/small/string");
  span->SetTag("http.status_code", 200);
  span->SetTag("error", false);
  span->Log({{"event", "cache miss"}, {"key", 17}});
  span->Finish();
}

long AllocationsOf(void (*work)(const opentracing::Tracer&), const opentracing::Tracer& tracer) {
  work(tracer);  // creates everything that is created only once, such as the exporter thread
  const long before = allocations;
  constexpr long kTimes = 100;
  for (long i = 0; i < kTimes; ++i) work(tracer);
  EXPECT_EQ((allocations - before) % kTimes, 0);
  return (allocations - before) / kTimes;
}

TEST(Allocations, OfASpanAreThoseOfTheNoopTracer) {
  const auto noop = opentracing::MakeNoopTracer();
  for (const auto work : {Root, ThreeTagsAndALog}) {
    const long least = AllocationsOf(work, *noop);
    for (const char* sampler : {"always", "never"}) {
      const RecordingTracer tracer(WithSampler(sampler));
      EXPECT_EQ(AllocationsOf(work, *tracer), least) << sampler;
    }
  }
}

TEST(Allocations, OfInjectAreNone) {
  struct NoCarrier : opentracing::TextMapWriter {
    opentracing::expected<void> Set(string_view, string_view) const override { return {}; }
  };
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  const NoCarrier carrier;
  const long before = allocations;
  const bool done{tracer->Inject(span->context(), carrier)};
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(done);
}

TEST(WithoutMemory, ASpanIsNotStartedOrIsWhole) {
  RecordingTracer tracer;
  tracer->StartSpan("first");  // starts the exporter's thread
  const auto parent = tracer->StartSpan("parent");
  parent->SetBaggageItem("key", std::string(1000, 'v'));
  const std::string text(1000, 'x');
  const opentracing::Value view{opentracing::string_view{text}};
  const opentracing::Value nested{opentracing::Values{view, view}};
  const std::vector<std::pair<opentracing::string_view, opentracing::Value>> fields = {
      {"nested", nested}, {"event", view}};
  std::uint64_t started = 2;
  for (long count = 0; count < 30; ++count) {
    const MemoryFor some(count);
    const auto span = tracer->StartSpan("child", {opentracing::ChildOf(&parent->context())});
    if (span == nullptr) continue;
    ++started;
    span->SetTag("text", view);
    span->SetTag("nested", nested);
    span->Log(opentracing::SystemTime{}, fields);
    span->SetBaggageItem("other", text);
    span->BaggageItem("other");
    span->SetOperationName(text);
    const auto clone = span->context().Clone();
    span->context().ToTraceID();
    span->Finish();
  }
  EXPECT_GT(started, 10u);
  EXPECT_EQ(tracer->counters().started, started);
  EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  EXPECT_TRUE(Conserved(tracer->counters(), 1));
}

TEST(WithoutMemory, TheExporterThreadIsStartedLaterOrMissed) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  RecordingTracer tracer;
  const MemoryFor nothing(0);  // no memory while the child starts its own thread
  InFork([&tracer] {
    allocations_left = -1;
    tracer->StartSpan("a");
    EXPECT_TRUE(tracer.log().lines().empty());  // logs nothing on a thread of the application
    EXPECT_EQ(tracer->counters().queued, 1u);
    tracer->Close();
    EXPECT_EQ(tracer->counters().dropped.closed, 1u);
    ASSERT_EQ(tracer.log().lines().size(), 1u);
    EXPECT_NE(tracer.log().lines()[0].find("failed to start 1 time"), std::string::npos);
  });
}

TEST(WithoutMemory, InjectAndExtractAreErrors) {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetBaggageItem("key", std::string(1000, 'v'));
  Pairs whole;
  ASSERT_TRUE(
      tracer->Inject(span->context(), static_cast<const opentracing::TextMapWriter&>(whole)));
  std::stringstream stream;
  ASSERT_TRUE(tracer->Inject(span->context(), stream));
  const std::string bytes = stream.str();
  bool injected = false;
  bool extracted = false;
  bool extracted_binary = false;
  long count = 0;
  for (; !(injected && extracted && extracted_binary); ++count) {
    ASSERT_LT(count, 1000);
    Pairs carrier;
    std::istringstream binary(bytes);
    const MemoryFor some(count);
    injected = static_cast<bool>(
        tracer->Inject(span->context(), static_cast<const opentracing::TextMapWriter&>(carrier)));
    allocations_left = count;
    extracted =
        static_cast<bool>(tracer->Extract(static_cast<const opentracing::TextMapReader&>(whole)));
    allocations_left = count;
    extracted_binary = static_cast<bool>(tracer->Extract(binary));
  }
  EXPECT_GT(count, 3);  // failures were really tested
}

}  // namespace
}  // namespace tracekin::testing
