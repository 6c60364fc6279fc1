// SPDX-License-Identifier: Apache-2.0
// Tests the tag sampling.priority (semantic conventions). Above 0 a span is exported and at 0 it is
// not, both at its start and in the middle of its life. A value that is not a number has no effect.

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;
using opentracing::SetTag;
using opentracing::Value;
using opentracing::Values;

using Real = std::numeric_limits<double>;

constexpr const char* kPriority = "sampling.priority";

enum class Hint { kTake, kLeave, kNone };

struct Case {
  Value value;
  Hint hint;
};

const char* const kNoText = nullptr;
const Case kCases[] = {
    {1, Hint::kTake},
    {0, Hint::kLeave},
    {std::uint16_t{1}, Hint::kTake},
    {std::uint16_t{0}, Hint::kLeave},
    {-1, Hint::kLeave},
    {std::numeric_limits<std::uint64_t>::max(), Hint::kTake},
    {0.5, Hint::kTake},
    {-0.0, Hint::kLeave},
    {Real::infinity(), Hint::kTake},
    {true, Hint::kTake},
    {false, Hint::kLeave},
    {"1", Hint::kTake},
    {"0", Hint::kLeave},
    {std::string("2"), Hint::kTake},
    {opentracing::string_view{"0.0"}, Hint::kLeave},
    {"1e999", Hint::kTake},  // larger than a double can represent
    {"-1e999", Hint::kLeave},
    {"1e-999", Hint::kLeave},  // too small for a double: zero
    {Real::quiet_NaN(), Hint::kNone},
    {"x", Hint::kNone},
    {"1x", Hint::kNone},
    {" 1", Hint::kNone},
    {"", Hint::kNone},
    {"nan", Hint::kNone},
    {kNoText, Hint::kNone},
    {nullptr, Hint::kNone},
    {Values{1}, Hint::kNone},
    {opentracing::Dictionary{}, Hint::kNone},
};

bool Sampled(Hint hint, bool without) {
  return hint == Hint::kNone ? without : hint == Hint::kTake;
}

TEST(SamplingPriority, OfAnyTypeDecidesAtTheStartAndLater) {
  for (const char* sampler : {"always", "never"}) {
    const bool without = std::string("always") == sampler;
    for (const Case& c : kCases) {
      RecordingTracer tracer(WithSampler(sampler));
      tracer->StartSpan("start", {SetTag{kPriority, c.value}});
      const auto later = tracer->StartSpan("later");
      later->SetTag(kPriority, c.value);
      later->Finish();
      const auto spans = tracer.Spans();
      EXPECT_EQ(spans.size(), Sampled(c.hint, without) ? 2u : 0u)
          << sampler << " case " << &c - kCases;
      for (const RecordedSpan& span : spans) {
        EXPECT_EQ(span.Tag(kPriority), std::nullopt);  // it is not part of the span
      }
    }
  }
}

TEST(SamplingPriority, LastOneCounts) {
  RecordingTracer tracer(WithSampler("never"));
  const auto up = tracer->StartSpan("up");
  const auto down = tracer->StartSpan("down");
  for (const int priority : {1, 0, 1}) up->SetTag(kPriority, priority);
  for (const int priority : {1, 0}) down->SetTag(kPriority, priority);
  up->Finish();
  down->Finish();
  EXPECT_EQ(tracer.OnlySpan().name, "up");
  EXPECT_EQ(tracer->counters().unsampled, 1u);
}

TEST(SamplingPriority, KeepsWhatWasRecordedWhileItWasDown) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetTag("before", 1);
  span->SetTag(kPriority, 0);
  span->SetTag("while", 2);
  span->SetTag(kPriority, 1);
  span->SetTag("after", 3);
  span->Finish();
  EXPECT_EQ(tracer.OnlySpan().tags.size(), 3u);
}

TEST(SamplingPriority, RaisedLaterRecordsFromThere) {
  Options options = WithSampler("never");
  options.tags = {{"env", "test"}};
  RecordingTracer tracer(options);
  const auto span = tracer->StartSpan("a");
  span->SetTag("before", 1);
  span->SetTag(kPriority, 1);
  span->SetTag("after", 2);
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.Tag("before"), std::nullopt);
  EXPECT_EQ(recorded.Tag("after"), "2");
  EXPECT_EQ(recorded.Tag("env"), "test");
  EXPECT_EQ(recorded.span_id, std::stoull(span->context().ToSpanID(), nullptr, 16));
  EXPECT_NE(recorded.trace_id_low, 0u);
}

// A caller cannot know in which order the options are applied.
TEST(SamplingPriority, AmongTagsAtTheStartHoldsForAllOfThem) {
  RecordingTracer tracer(WithSampler("never"));
  tracer->StartSpan("a", {SetTag{"first", 1}, SetTag{kPriority, 1}, SetTag{"last", 2}});
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.Tag("first"), "1");
  EXPECT_EQ(span.Tag("last"), "2");
}

TEST(SamplingPriority, LastOfSeveralAtTheStartCounts) {
  RecordingTracer tracer;
  tracer->StartSpan("a", {SetTag{kPriority, 1}, SetTag{kPriority, 0}});
  EXPECT_TRUE(tracer.Spans().empty());
  tracer->StartSpan("b", {SetTag{kPriority, 0}, SetTag{"k", 1}, SetTag{kPriority, 1}});
  EXPECT_EQ(tracer.OnlySpan().Tag("k"), "1");
}

TEST(SamplingPriority, HoldsForChildrenAndInject) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("a");
  const auto before = tracer->StartSpan("before", {ChildOf(&span->context())});
  span->SetTag(kPriority, 1);
  const auto after = tracer->StartSpan("after", {ChildOf(&span->context())});
  Pairs carrier;
  ASSERT_TRUE(tracer->Inject(after->context(), carrier));
  EXPECT_EQ(carrier.Map().at("traceparent").back(), '3') << "sampled, and the id is random";
  before->Finish();
  after->Finish();
  EXPECT_EQ(tracer.OnlySpan().name, "after");
}

TEST(SamplingPriority, OfTheParentHoldsThoughTheSamplerSaysNo) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("a", {SetTag{kPriority, 1}});
  tracer->StartSpan("child", {ChildOf(&span->context())});
  EXPECT_EQ(tracer.OnlySpan().name, "child");
}

TEST(SamplingPriority, DoesNotOverruleADebugFlag) {
  RecordingTracer tracer(WithSampler("never"));
  const Pairs carrier = {{"x-b3-traceid", "1111111111111111"},
                         {"x-b3-spanid", "2222222222222222"},
                         {"x-b3-flags", "1"}};
  const auto parent = tracer->Extract(static_cast<const opentracing::TextMapReader&>(carrier));
  ASSERT_TRUE(parent);
  const auto span = tracer->StartSpan("a", {ChildOf(parent->get()), SetTag{kPriority, 0}});
  span->SetTag(kPriority, 0);
  span->Finish();
  EXPECT_TRUE(tracer.OnlySpan().debug);
}

TEST(SamplingPriority, AfterFinishIsTooLate) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->Finish();
  span->SetTag(kPriority, 0);
  const auto unsampled = tracer->StartSpan("b", {SetTag{kPriority, 0}});
  unsampled->Finish();
  unsampled->SetTag(kPriority, 1);
  EXPECT_EQ(tracer.OnlySpan().name, "a");
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

}  // namespace
}  // namespace tracekin::testing
