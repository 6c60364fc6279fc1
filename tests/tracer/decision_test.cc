// SPDX-License-Identifier: Apache-2.0
// Tests what decides whether a span is exported: the parent's context, or this tracer's sampler.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;
using opentracing::FollowsFrom;

const Pairs kIds = {{"x-b3-traceid", "1111111111111111"}, {"x-b3-spanid", "2222222222222222"}};

std::unique_ptr<opentracing::SpanContext> Extract(
    const RecordingTracer& tracer, Pairs carrier,
    std::vector<std::pair<std::string, std::string>> more) {
  for (auto& pair : more) carrier.pairs.push_back(std::move(pair));
  auto context = tracer->Extract(static_cast<const opentracing::HTTPHeadersReader&>(carrier));
  EXPECT_TRUE(context);
  EXPECT_NE(*context, nullptr);
  return std::move(*context);
}

struct Case {
  const char* what;
  std::vector<std::pair<std::string, std::string>> headers;
  // True if a child is exported, for each sampler and value of parent_based.
  bool always_parent, always_own, never_parent, never_own;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.what; }

std::string NameOf(const ::testing::TestParamInfo<Case>& info) { return info.param.what; }

class ParentDecision : public ::testing::TestWithParam<Case> {
 protected:
  static void ExpectExported(const char* sampler, bool parent_based, bool expected) {
    for (const bool with_ids : {true, false}) {
      for (const bool is_child : {true, false}) {
        RecordingTracer tracer(WithSampler(sampler, parent_based));
        if (!with_ids && GetParam().headers.empty()) continue;
        const auto parent = Extract(tracer, with_ids ? kIds : Pairs{}, GetParam().headers);
        tracer->StartSpan("a", {is_child ? ChildOf(parent.get()) : FollowsFrom(parent.get())});
        EXPECT_EQ(tracer.Spans().size(), expected ? 1u : 0u)
            << sampler << (parent_based ? " parent_based" : "") << (with_ids ? " with ids" : "");
      }
    }
  }
};

TEST_P(ParentDecision, IsKeptOrTakenHere) {
  ExpectExported("always", true, GetParam().always_parent);
  ExpectExported("always", false, GetParam().always_own);
  ExpectExported("never", true, GetParam().never_parent);
  ExpectExported("never", false, GetParam().never_own);
}

const Case kCases[] = {
    {"accepted", {{"x-b3-sampled", "1"}}, true, true, true, false},
    {"denied", {{"x-b3-sampled", "0"}}, false, true, false, false},
    {"debug", {{"x-b3-flags", "1"}}, true, true, true, true},
    // zipkin-cpp-opentracing treats a missing decision as a refusal and loses the spans.
    {"deferred", {}, true, true, false, false},
};
INSTANTIATE_TEST_SUITE_P(B3, ParentDecision, ::testing::ValuesIn(kCases), NameOf);

TEST(Decision, IsTakenOnceATrace) {
  Options options = WithSampler("rate_limiting");
  options.sampler.per_second = 1;
  RecordingTracer tracer(options);
  const auto first = tracer->StartSpan("first");
  const auto second = tracer->StartSpan("second");  // exceeds the rate
  for (int i = 0; i < 10; ++i) {
    tracer->StartSpan("of first", {ChildOf(&first->context())});
    tracer->StartSpan("of second", {ChildOf(&second->context())});
  }
  const auto spans = tracer.Spans();
  EXPECT_EQ(spans.size(), 10u);
  for (const RecordedSpan& span : spans) EXPECT_EQ(span.name, "of first");
}

TEST(Decision, WithoutIdsBeginsATraceOfOurOwn) {
  RecordingTracer tracer;
  const auto parent = Extract(tracer, {}, {{"x-b3-sampled", "1"}});
  EXPECT_EQ(parent->ToTraceID(), "");
  EXPECT_EQ(parent->ToSpanID(), "");
  const auto a = tracer->StartSpan("a", {ChildOf(parent.get())});
  const auto b = tracer->StartSpan("b", {ChildOf(parent.get())});
  EXPECT_NE(a->context().ToTraceID(), b->context().ToTraceID());
  a->Finish();
  EXPECT_EQ(tracer.OnlySpan().parent_span_id, 0u);
}

TEST(Decision, WithoutIdsIsNoParentWhereThereIsOneWithIds) {
  RecordingTracer tracer;
  const auto decision = Extract(tracer, {}, {{"x-b3-sampled", "1"}});
  const auto parent = tracer->StartSpan("parent");
  const auto child = tracer->StartSpan("a", {ChildOf(decision.get()), ChildOf(&parent->context())});
  EXPECT_EQ(child->context().ToTraceID(), parent->context().ToTraceID());
}

TEST(Decision, WithBaggageOnlyIsTakenHere) {
  RecordingTracer tracer(WithSampler("never"));
  const auto parent = Extract(tracer, {}, {{"baggage", "key=value"}});
  const auto span = tracer->StartSpan("a", {ChildOf(parent.get())});
  EXPECT_EQ(span->BaggageItem("key"), "value");
  EXPECT_NE(span->context().ToTraceID(), "");
  span->Finish();
  EXPECT_EQ(tracer->counters().unsampled, 1u);
}

TEST(Decision, OfADebugParentIsPassedOn) {
  RecordingTracer tracer(WithSampler("never", false));
  const auto parent = Extract(tracer, kIds, {{"x-b3-flags", "1"}});
  const auto child = tracer->StartSpan("child", {ChildOf(parent.get())});
  const auto grandchild = tracer->StartSpan("grandchild", {ChildOf(&child->context())});
  Pairs carrier;
  ASSERT_TRUE(tracer->Inject(grandchild->context(), carrier));
  EXPECT_EQ(carrier.Map().at("b3").substr(33, 3), "-d-");
  grandchild->Finish();
  EXPECT_TRUE(tracer.OnlySpan().debug);
}

TEST(Decision, OfADeferredParentIsTakenInTheChild) {
  RecordingTracer tracer;
  const auto parent = Extract(tracer, kIds, {});
  const auto child = tracer->StartSpan("child", {ChildOf(parent.get())});
  Pairs carrier;
  ASSERT_TRUE(tracer->Inject(child->context(), carrier));
  EXPECT_EQ(carrier.Map().at("b3").substr(33, 3), "-1-");
  Pairs deferred;
  ASSERT_TRUE(tracer->Inject(*parent, deferred));
  EXPECT_EQ(deferred.Map().at("b3"), "1111111111111111-2222222222222222");
}

TEST(Decision, OfAnUnsampledSpanIsInjectedWithItsIds) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("a");
  Pairs carrier;
  ASSERT_TRUE(tracer->Inject(span->context(), carrier));
  EXPECT_EQ(carrier.Map().at("b3"),
            span->context().ToTraceID() + '-' + span->context().ToSpanID() + "-0");
}

}  // namespace
}  // namespace tracekin::testing
