// SPDX-License-Identifier: Apache-2.0
// Tests spans and contexts that outlive Close() and the tracer's pointer. The tracer must be
// destroyed with the last of them, on any thread.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;

const Tracer& TracerOf(const opentracing::Span& span) {
  return static_cast<const Tracer&>(span.tracer());
}

TEST(TracerLifetime, EndsWithItsPointerIfNoSpanIsLeft) {
  RecordingTracer tracer;
  tracer->StartSpan("a");
  EXPECT_FALSE(tracer.Destroyed());
  tracer.Release();
  EXPECT_TRUE(tracer.Destroyed());
  EXPECT_EQ(tracer.collector().spans().size(), 1u);  // zipkin-cpp-opentracing loses such spans
}

TEST(TracerLifetime, EndsWithItsPointerIfThereNeverWasASpan) {
  RecordingTracer tracer;
  tracer.Release();
  EXPECT_TRUE(tracer.Destroyed());
}

TEST(TracerLifetime, LastsUntilItsLastSpan) {
  RecordingTracer tracer;
  auto a = tracer->StartSpan("a");
  auto b = tracer->StartSpan("b");
  tracer.Release();
  a.reset();
  EXPECT_FALSE(tracer.Destroyed());
  b->Finish();
  EXPECT_FALSE(tracer.Destroyed());
  b.reset();
  EXPECT_TRUE(tracer.Destroyed());
}

TEST(SpanWithoutTracerPointer, WorksAndIsCounted) {
  RecordingTracer tracer;
  auto span = tracer->StartSpan("a");
  tracer.Release();
  span->SetTag("key", 1);
  span->Log({{"event", "late"}});
  span->SetBaggageItem("key", "value");
  auto child = span->tracer().StartSpan("child", {ChildOf(&span->context())});
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->context().ToTraceID(), span->context().ToTraceID());
  Pairs carrier;
  EXPECT_TRUE(span->tracer().Inject(child->context(),
                                    static_cast<const opentracing::TextMapWriter&>(carrier)));
  EXPECT_FALSE(carrier.pairs.empty());
  const auto context = child->context().Clone();
  span->Finish();
  EXPECT_TRUE(Conserved(TracerOf(*child).counters(), 1));
  EXPECT_EQ(TracerOf(*child).counters().dropped.closed, 1u);
  span.reset();
  child.reset();
  EXPECT_TRUE(tracer.Destroyed());
  EXPECT_NE(context->ToSpanID(), "");
  EXPECT_TRUE(tracer.collector().spans().empty());
}

TEST(TracerLifetime, EndsOnTheThreadOfTheLastSpan) {
  RecordingTracer tracer;
  auto span = tracer->StartSpan("a");
  tracer.Release();
  std::thread([moved = std::move(span)]() mutable { moved.reset(); }).join();
  EXPECT_TRUE(tracer.Destroyed());
}

TEST(TracerLifetime, EndsWhenPointerAndLastSpanGoAtTheSameMoment) {
  constexpr int kTimes = 500;
  for (int i = 0; i < kTimes; ++i) {
    RecordingTracer tracer(WithSampler("never"));
    auto span = tracer->StartSpan("a");
    span->Finish();
    std::atomic<int> ready{0};
    const auto meet = [&ready] {
      for (++ready; ready < 2;) std::this_thread::yield();
    };
    std::thread other([&] {
      meet();
      for (volatile int delay = i % 500; delay > 0; delay = delay - 1) {
      }
      span.reset();
    });
    meet();
    tracer.Release();
    other.join();
    if (!tracer.Destroyed()) const RecordingTracer next;  // destroys it if nothing else did
    ASSERT_TRUE(tracer.Destroyed()) << i;
  }
}

TEST(TracerLifetime, OfAThousandTracersLeavesNothingBehind) {
  const std::size_t threads = ThreadCount();
  for (int i = 0; i < 1000; ++i) {
    RecordingTracer tracer;
    auto span = tracer->StartSpan("a");
    if (i % 2 == 0) span.reset();
    if (i % 3 == 0) tracer->Close();
    tracer.Release();
    span.reset();
    ASSERT_TRUE(tracer.Destroyed()) << i;
    EXPECT_EQ(tracer.collector().spans().size(), i % 2 == 0 ? 1u : 0u);
  }
  EXPECT_TRUE(Eventually([&] { return ThreadCount() == threads; }));
}

TEST(TracerLifetime, OfManyAtOnceKeepsThemApart) {
  constexpr std::size_t kTracers = 20;
  std::vector<std::unique_ptr<RecordingTracer>> tracers;
  std::vector<std::unique_ptr<opentracing::Span>> spans;
  for (std::size_t i = 0; i < kTracers; ++i) {
    tracers.push_back(std::make_unique<RecordingTracer>());
    spans.push_back((*tracers.back())->StartSpan(std::to_string(i)));
  }
  for (std::size_t i = 0; i < kTracers; i += 2) tracers[i]->Release();
  spans.clear();
  for (std::size_t i = 0; i < kTracers; ++i) {
    EXPECT_EQ(tracers[i]->Destroyed(), i % 2 == 0);
    if (i % 2 == 0) continue;
    EXPECT_EQ(tracers[i]->OnlySpan().name, std::to_string(i));
  }
}

// jaeger-client-cpp and zipkin-cpp-opentracing deadlock in this case.
TEST(TracerLifetime, MayEndOnTheExporterThread) {
  Options options;
  options.exporter.close_timeout_ms = 10;
  RecordingTracer tracer(options);
  std::atomic<bool> called{false};
  std::atomic<bool> released{false};
  tracer.collector().set_on_send([&] {
    if (called.exchange(true)) return;
    tracer.Release();
    released = true;
  });
  tracer->StartSpan("a");
  EXPECT_TRUE(Eventually([&] { return released.load(); }));
  EXPECT_TRUE(Eventually([&] { return tracer.Destroyed(); }));
}

TEST(TracerLifetime, MayEndWithASpanOnTheExporterThread) {
  RecordingTracer tracer;
  auto kept = tracer->StartSpan("kept");
  std::atomic<bool> go{false};
  tracer.collector().set_on_send([&] {
    EXPECT_TRUE(Eventually([&] { return go.load(); }));
    kept.reset();
  });
  tracer->StartSpan("a");
  tracer.collector().AwaitBatches(1);
  go = true;
  tracer.Release();
  EXPECT_TRUE(Eventually([&] { return tracer.Destroyed(); }));
}

TEST(TracerLifetime, IsSharedByManyPointersOnManyThreads) {
  RecordingTracer tracer;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([pointer = tracer.shared()]() mutable {
      for (int j = 0; j < 100; ++j) pointer->StartSpan("a");
      pointer.reset();
    });
  }
  tracer.Release();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(tracer.Destroyed());
  EXPECT_EQ(tracer.collector().spans().size(), 800u);
}

// Objects that static objects hold are destroyed after main(), in any order.
TEST(ProcessExit, WithATracerAndOpenSpansIsClean) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static std::unique_ptr<opentracing::Span> first;
        static RecordingTracer tracer;
        static std::unique_ptr<opentracing::Span> last = tracer->StartSpan("last");
        first = tracer->StartSpan("first");
        thread_local const std::unique_ptr<opentracing::Span> of_thread = tracer->StartSpan("mine");
        opentracing::Tracer::InitGlobal(tracer.shared());
        tracer->StartSpan("finished");
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tracekin::testing
