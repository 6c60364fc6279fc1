// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <opentracing/ext/tags.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tracekin/scoped_span.h"
#include "tracekin/testing.h"

namespace tracekin::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> Names(const std::vector<SpanRecord>& spans) {
  std::vector<std::string> names;
  for (const SpanRecord& span : spans) names.emplace_back(span.name);
  return names;
}

TEST(SpanRecorderTest, ReturnsWhatTheProgramHasRecorded) {
  SpanRecorder recorder;
  {
    const auto outer = StartActiveSpan(*recorder.tracer(), "outer");
    const auto inner = StartActiveSpan(*recorder.tracer(), "inner");
    inner->SetTag("number", 42);
    inner->SetTag("text", std::string(1000, 'x'));
    inner->SetTag(opentracing::ext::span_kind, "client");
    inner->SetTag("error", true);
    inner->Log({{"event", "retry"}, {"attempt", 2}});
  }
  const std::vector<SpanRecord> spans = recorder.FinishedSpans();
  ASSERT_THAT(Names(spans), ElementsAre("inner", "outer"));
  const SpanRecord& inner = spans[0];
  EXPECT_EQ(inner.parent_span_id, spans[1].span_id);
  EXPECT_EQ(inner.trace_id_low, spans[1].trace_id_low);
  EXPECT_EQ(inner.kind, SpanKind::kClient);
  EXPECT_EQ(inner.status, SpanStatus::kError);
  EXPECT_EQ(inner.local.service_name, "test");
  EXPECT_GT(inner.start_ns, 0);
  EXPECT_GE(spans[1].duration_ns, inner.duration_ns);
  EXPECT_EQ(TagOf(inner, "number"), "42");
  EXPECT_EQ(TagOf(inner, "text"), std::string(1000, 'x'));
  EXPECT_EQ(TagOf(inner, "missing"), std::nullopt);
  ASSERT_THAT(inner.annotations, SizeIs(1));
  EXPECT_EQ(inner.annotations[0].text, "retry");
  ASSERT_EQ(inner.annotations[0].fields.count, 1u);
  EXPECT_EQ(inner.annotations[0].fields.first->key, "attempt");
  EXPECT_EQ(inner.annotations[0].fields.first->value, "2");
}

TEST(SpanRecorderTest, ForgetsWhatWasCleared) {
  SpanRecorder recorder;
  const auto open = recorder.tracer()->StartSpan("open");
  EXPECT_THAT(recorder.FinishedSpans(), IsEmpty());
  recorder.tracer()->StartSpan("a");
  recorder.Clear();
  EXPECT_THAT(recorder.FinishedSpans(), IsEmpty());
  recorder.tracer()->StartSpan("b");
  open->Finish();
  EXPECT_THAT(Names(recorder.FinishedSpans()), ElementsAre("b", "open"));
}

TEST(SpanRecorderTest, ReceivesTheSpansOfAllThreads) {
  constexpr int kThreads = 4;
  constexpr int kSpans = 2000;
  SpanRecorder recorder;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&recorder] {
      for (int j = 0; j < kSpans; ++j) {
        recorder.tracer()->StartSpan("span");
        if (j % 500 == 0) {
          EXPECT_THAT(recorder.FinishedSpans(), Not(IsEmpty()));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> ids;
  for (const SpanRecord& span : recorder.FinishedSpans()) ids.insert(span.span_id);
  EXPECT_THAT(ids, SizeIs(kThreads * kSpans));
}

TEST(SpanRecorderTest, UsesTheOptions) {
  Options options;
  options.service_name = "shop";
  options.sampler.type = "never";
  SpanRecorder recorder(options);
  recorder.tracer()->StartSpan("unsampled");
  recorder.tracer()->StartSpan("sampled", {opentracing::SetTag("sampling.priority", 1)});
  const std::vector<SpanRecord> spans = recorder.FinishedSpans();
  EXPECT_THAT(Names(spans), ElementsAre("sampled"));
  EXPECT_EQ(spans.at(0).local.service_name, "shop");
  options.sampler.type = "sometimes";
  EXPECT_THROW(SpanRecorder{options}, std::invalid_argument);
}

TEST(SpanRecorderTest, StillAnswersAfterClose) {
  SpanRecorder recorder;
  recorder.tracer()->StartSpan("a");
  recorder.tracer()->Close();
  recorder.tracer()->StartSpan("late");
  EXPECT_THAT(Names(recorder.FinishedSpans()), ElementsAre("a"));
}

TEST(SpanRecorderTest, MayEndBeforeItsTracer) {
  std::shared_ptr<Tracer> tracer;
  {
    SpanRecorder recorder;
    tracer = recorder.tracer();
  }
  tracer->StartSpan("late");
  EXPECT_TRUE(tracer->Flush(std::chrono::minutes(1)));
  EXPECT_EQ(tracer->counters().exported, 1u);
}

// The function replaces the collector and all that only a collector needs.
TEST(OnSpanTest, NeedsNoCollector) {
  Options options;
  options.service_name = "shop";
  options.tags = {{"zone", "a"}};
  options.exporter.type = "kafka";
  std::string service;
  std::string tags;
  options.exporter.on_span = [&](const Resource& resource, const SpanRecord&) {
    service = resource.service_name;
    tags.clear();
    for (const auto& tag : resource.tags) tags.append(tag.key).append("=").append(tag.value);
  };
  std::string error;
  const auto tracer = MakeTracer(options, &error);
  ASSERT_NE(tracer, nullptr) << error;
  tracer->StartSpan("a");
  SpanRecord without_ids;
  tracer->Report(without_ids);
  tracer->Close();
  EXPECT_EQ(tracer->counters().exported, 2u);
  EXPECT_EQ(service, "shop");
  EXPECT_EQ(tags, "zone=a");
}

}  // namespace
}  // namespace tracekin::testing
