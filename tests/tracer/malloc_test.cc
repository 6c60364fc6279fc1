// SPDX-License-Identifier: Apache-2.0
// Tests how much memory the calls of the application allocate for any input, and what they do when
// memory runs out. This program replaces malloc(), which counts and fails on request. Therefore it
// also sees allocations of C libraries, while allocation_test.cc sees only those of C++.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exporter/pipeline/span_bytes.h"
#include "tests/support/carriers.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tracekin/scope.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

thread_local std::size_t allocated = 0;   // bytes in total
thread_local long allocations_left = -1;  // allowed before they fail; negative: none fails

bool Take(std::size_t size) {
  allocated += size;
  if (allocations_left == 0) {
    errno = ENOMEM;
    return false;
  }
  if (allocations_left > 0) --allocations_left;
  return true;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void* malloc(std::size_t size) noexcept { return Take(size) ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return Take(count * size) ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* memory, std::size_t size) noexcept {
  return Take(size) ? __libc_realloc(memory, size) : nullptr;
}
}

namespace tracekin::testing {
namespace {

using opentracing::Dictionary;
using opentracing::string_view;
using opentracing::Value;
using opentracing::Values;
using Fields = std::vector<std::pair<string_view, Value>>;

/// Lets `count` allocations of this thread succeed and all later ones fail, as long as it lives.
struct MemoryFor {
  explicit MemoryFor(long count) { allocations_left = count; }
  ~MemoryFor() { allocations_left = -1; }
};

// A quoted value is up to six times as long, and std::string doubles its memory.
constexpr std::size_t kSome = 12 * exporter::kMaxSpanBytes;

const std::string kHuge = "a b" + std::string(8 << 20, '\x01');

struct Call {
  const char* name;
  std::function<void(opentracing::Span&)> run;
};

void PrintTo(const Call& call, std::ostream* out) { *out << call.name; }

std::string NameOf(const ::testing::TestParamInfo<Call>& info) { return info.param.name; }

class HugeArguments : public ::testing::TestWithParam<Call> {};

TEST_P(HugeArguments, TakeNoMoreMemoryThanASpanMayHold) {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  const std::size_t before = allocated;
  GetParam().run(*span);
  EXPECT_LT(allocated - before, kSome);
}

const Value kView{string_view(kHuge)};
const Value kList{Values(1'000'000, Value{1})};
const Value kTexts{Values{kView, kView, kView}};
const Value kMap{Dictionary{{kHuge, kView}, {"list", kList}}};

// Made here because an initializer list would copy the values in the test.
const Fields kListFields = {{"body", kList}, {"other", kTexts}};
const Fields kMapFields = {{"event", kMap}};

const Pairs kCarrier = {{"b3", kHuge},          {"x-b3-traceid", kHuge}, {"baggage", kHuge},
                        {"traceparent", kHuge}, {"tracestate", kHuge},   {"uber-trace-id", kHuge},
                        {"uberctx-k", kHuge},   {kHuge, kHuge}};

const Call kCalls[] = {
    {"Log",
     [](opentracing::Span& span) {
       span.Log({{"event", "a"}, {"body", kView}});
     }},
    {"LogOfAnEvent",
     [](opentracing::Span& span) {
       span.Log({{"event", kView}});
     }},
    {"LogOfAList", [](opentracing::Span& span) { span.Log({}, kListFields); }},
    {"LogOfAMap", [](opentracing::Span& span) { span.Log({}, kMapFields); }},
    {"LogOfAKey",
     [](opentracing::Span& span) {
       span.Log({{kHuge, 1}});
     }},
    {"Tag", [](opentracing::Span& span) { span.SetTag("k", kView); }},
    {"TagOfAList", [](opentracing::Span& span) { span.SetTag("k", kList); }},
    {"TagOfTexts", [](opentracing::Span& span) { span.SetTag("k", kTexts); }},
    {"TagOfAMap", [](opentracing::Span& span) { span.SetTag("k", kMap); }},
    {"TagOfAKey", [](opentracing::Span& span) { span.SetTag(kHuge, 1); }},
    {"Kind", [](opentracing::Span& span) { span.SetTag("span.kind", kView); }},
    {"Priority", [](opentracing::Span& span) { span.SetTag("sampling.priority", kView); }},
    {"Name", [](opentracing::Span& span) { span.SetOperationName(kHuge); }},
    {"BaggageValue", [](opentracing::Span& span) { span.SetBaggageItem("k", kHuge); }},
    {"BaggageKey", [](opentracing::Span& span) { span.SetBaggageItem(kHuge, "v"); }},
    {"BaggageItem", [](opentracing::Span& span) { span.BaggageItem(kHuge); }},
    {"StartSpan", [](opentracing::Span& span) { span.tracer().StartSpan(kHuge); }},
    {"Report",
     [](opentracing::Span& span) {
       SpanRecord record;
       record.name = record.local.service_name = record.remote.service_name = kHuge;
       record.tags.push_back({kHuge, kHuge});
       record.annotations.push_back({1, kHuge});
       const_cast<Tracer&>(static_cast<const Tracer&>(span.tracer())).Report(record);
     }},
    {"Extract",
     [](opentracing::Span& span) {
       static_cast<void>(
           span.tracer().Extract(static_cast<const opentracing::HTTPHeadersReader&>(kCarrier)));
     }},
};
INSTANTIATE_TEST_SUITE_P(Of, HugeArguments, ::testing::ValuesIn(kCalls), NameOf);

TEST(WithoutMalloc, ListsAndMapsAreLeftOutAndCounted) {
  const RecordingTracer tracer;
  const Value nested{Values{Dictionary{{"key", Values{kView, 1, 2.5}}}, "text"}};
  const Fields fields = {{"event", nested}, {"field", nested}};
  for (long count = 0; count < 20; ++count) {
    const auto span = tracer->StartSpan("a");
    {
      const MemoryFor some(count);
      span->SetTag("nested", nested);
      span->Log({}, fields);
      span->Finish();
    }
  }
  EXPECT_GE(tracer->counters().truncated_attributes, 20u);  // twice if no memory was available
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

TEST(WithoutMalloc, TheFirstScopeOfAThreadDoesNotEndTheProcess) {
  InFork([] {
    const RecordingTracer tracer;
    const auto span = tracer->StartSpan("a");
    for (long count = 0; count < 5; ++count) {
      std::thread([&] {
        const MemoryFor some(count);
        {
          const Scope scope(*span);
          EXPECT_TRUE(ActiveSpan() == nullptr || ActiveSpan() == span.get());
        }
        EXPECT_EQ(ActiveSpan(), nullptr);
      }).join();
    }
  });
}

}  // namespace
}  // namespace tracekin::testing
#else
TEST(WithoutMalloc, IsNotTestedWithSanitizers) { GTEST_SKIP() << "sanitizers replace malloc()"; }
#endif
