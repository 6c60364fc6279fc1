// SPDX-License-Identifier: Apache-2.0
// Tests the plugin without memory. This program replaces operator new, also for the plugin, and
// makes it fail on request.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/dynamic_load.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "tests/support/span_file.h"

namespace {

thread_local long allocations_left = -1;  // allowed before one fails; negative: none fails

void* Allocate(std::size_t size) {
  if (allocations_left == 0) return nullptr;
  if (allocations_left > 0) --allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

void* operator new(std::size_t size) {
  void* memory = Allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
// Not inline, otherwise the compiler warns that memory from new is released with free().
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tracekin::testing {
namespace {

using ::testing::IsSupersetOf;

/// Lets `count` allocations of this thread succeed and all later ones fail, as long as it lives.
struct MemoryFor {
  explicit MemoryFor(long count) { allocations_left = count; }
  ~MemoryFor() { allocations_left = -1; }
};

constexpr long kManyAllocations = 100'000;

opentracing::DynamicTracingLibraryHandle Load() {
  std::string message;
  auto handle = opentracing::DynamicallyLoadTracingLibrary(TRACEKIN_PLUGIN, message);
  EXPECT_TRUE(handle) << message;
  return std::move(handle.value());
}

TEST(PluginWithoutMemory, RefusesToMakeAFactory) {
  void* library = dlopen(TRACEKIN_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto* const make = *static_cast<OpenTracingMakeTracerFactoryType**>(
      dlsym(library, "OpenTracingMakeTracerFactory"));
  const void* category = nullptr;
  std::string message;
  void* factory = nullptr;
  int code = 0;
  {
    const MemoryFor nothing(0);
    code = make(OPENTRACING_VERSION, OPENTRACING_ABI_VERSION, &category, &message, &factory);
  }
  EXPECT_EQ(code, ENOMEM);
  EXPECT_EQ(category, &std::generic_category());
  EXPECT_EQ(factory, nullptr);
  {
    const MemoryFor nothing(0);
    code = make(OPENTRACING_VERSION, "2", &category, &message, &factory);
  }
  EXPECT_NE(code, 0);
  EXPECT_EQ(factory, nullptr);
}

TEST(PluginWithoutMemory, RefusesToMakeATracerWhereverMemoryEnds) {
  const SpanFile spans;
  const std::string configuration = spans.Configuration();
  const auto handle = Load();
  const opentracing::TracerFactory& factory = handle.tracer_factory();
  long count = 0;
  for (bool made = false; !made; ++count) {
    ASSERT_LT(count, kManyAllocations);
    std::string message;
    const MemoryFor some(count);
    const auto tracer = factory.MakeTracer(configuration.c_str(), message);
    made = tracer && *tracer != nullptr;
    if (!made) {
      EXPECT_FALSE(tracer);
      EXPECT_NE(message, "");
    }
  }
  EXPECT_GT(count, 10);  // failures were really tested
}

std::shared_ptr<opentracing::Tracer> MakeTracer(
    const opentracing::DynamicTracingLibraryHandle& handle, const SpanFile& spans) {
  std::string message;
  auto tracer = handle.tracer_factory().MakeTracer(spans.Configuration().c_str(), message);
  EXPECT_TRUE(tracer) << message;
  return tracer.value_or(nullptr);
}

TEST(PluginWithoutMemory, LosesSpansAndNothingElse) {
  const SpanFile spans;
  const auto handle = Load();
  const auto tracer = MakeTracer(handle, spans);
  tracer->StartSpan("first")->Finish();  // starts the exporter thread
  const auto parent = tracer->StartSpan("parent");
  const std::string long_text(1000, 'x');
  const opentracing::string_view text = long_text;  // so that the test itself allocates no memory
  for (long count = 0; count < 50; ++count) {
    const MemoryFor some(count);
    const auto span = tracer->StartSpan("child");
    if (span == nullptr) continue;
    span->SetTag("text", text);
    span->SetBaggageItem("key", text);
    span->SetOperationName(text);
    const auto context = span->context().Clone();
    span->Finish();
  }
  parent->Finish();
  tracer->Close();
  EXPECT_THAT(spans.Values("name"), IsSupersetOf({"first", "parent"}));
}

TEST(PluginWithoutMemory, GoesOnWithoutExporterThread) {
  const SpanFile spans;
  const auto handle = Load();
  for (long count = 0; count < 20; ++count) {
    const auto tracer = MakeTracer(handle, spans);
    const auto span = tracer->StartSpan("first");
    const MemoryFor some(count);
    span->Finish();
    tracer->Close();
  }
}

}  // namespace
}  // namespace tracekin::testing
