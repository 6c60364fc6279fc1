// SPDX-License-Identifier: Apache-2.0
// Tests the data of a span that encoders receive but that Zipkin's model does not contain: types,
// fields of logs, links, status, trace state, and the tracer's tags separate from the span's.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/carriers.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;
using opentracing::FollowsFrom;
using Typed = RecordedSpan::Typed;

TEST(Model, TagsKeepTheTypesOfTheirValues) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetTag("text", "42");
  span->SetTag("true", true);
  span->SetTag("int", -42);
  span->SetTag("unsigned", std::uint64_t{42});
  span->SetTag("huge", std::numeric_limits<std::uint64_t>::max());
  span->SetTag("double", 0.5);
  span->SetTag("infinity", std::numeric_limits<double>::infinity());
  span->SetTag("list", opentracing::Values{1, "a"});
  span->SetTag("null", nullptr);
  span->SetTag("changed", 1);
  span->SetTag("changed", "text");
  span->Finish();
  EXPECT_EQ(tracer.OnlySpan().typed_tags,
            (std::vector<Typed>{{"text", "42", ValueType::kText},
                                {"true", "true", ValueType::kBool},
                                {"int", "-42", ValueType::kInt},
                                {"unsigned", "42", ValueType::kInt},
                                {"huge", "18446744073709551615", ValueType::kText},
                                {"double", "0.5", ValueType::kDouble},
                                {"infinity", "inf", ValueType::kDouble},
                                {"list", "[1,\"a\"]", ValueType::kJson},
                                {"null", "null", ValueType::kJson},
                                {"changed", "text", ValueType::kText}}));
}

// Otherwise a reader would parse the beginning of a list as JSON, or read a wrong number from the
// beginning of a number.
TEST(Model, AValueThatWasCutIsText) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetTag("list", opentracing::Values{std::string(100'000, 'x')});
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  ASSERT_FALSE(recorded.typed_tags.empty());
  EXPECT_EQ(recorded.typed_tags[0].key, "list");
  EXPECT_EQ(recorded.typed_tags[0].type, ValueType::kText);
}

TEST(Model, LogsKeepTheirFields) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->Log({{"why", "too slow"}, {"event", "retry"}, {"attempt", 2}});
  span->SetTag("between", true);
  span->Log({{"message", "no event"}, {"share", 0.5}});
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.log_texts, (std::vector<std::string>{"retry", ""}));
  EXPECT_EQ(recorded.log_fields, (std::vector<Typed>{{"why", "too slow", ValueType::kText},
                                                     {"attempt", "2", ValueType::kInt},
                                                     {"message", "no event", ValueType::kText},
                                                     {"share", "0.5", ValueType::kDouble}}));
  EXPECT_EQ(recorded.logs.at(0).second, "retry why=\"too slow\" attempt=2");
  EXPECT_EQ(recorded.logs.at(1).second, "no event share=0.5");
}

TEST(Model, ALogThatDoesNotFitIsCutAndCountedOnce) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  for (int i = 0; i < 100; ++i) span->SetTag("squeezed out", std::string(400, 'x'));
  span->Log({{"event", "e"}, {"long", std::string(100'000, 'y')}, {"left out", 1}});
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  ASSERT_EQ(recorded.log_fields.size(), 1U);
  EXPECT_EQ(recorded.log_fields[0].key, "long");
  EXPECT_GT(recorded.log_fields[0].value.size(), 20'000U);
  EXPECT_EQ(tracer->counters().truncated_attributes, 1U);
}

TEST(Model, ReferencesBesideTheParentAreLinks) {
  RecordingTracer tracer;
  const auto a = tracer->StartSpan("a"), b = tracer->StartSpan("b"), c = tracer->StartSpan("c");
  tracer->StartSpan("child",
                    {FollowsFrom(&a->context()), ChildOf(&b->context()), ChildOf(&c->context())});
  const RecordedSpan child = tracer.OnlySpan();
  EXPECT_EQ(child.parent_span_id, std::stoull(b->context().ToSpanID(), nullptr, 16));
  ASSERT_EQ(child.links.size(), 2U);
  EXPECT_EQ(child.links[0].span_id, std::stoull(a->context().ToSpanID(), nullptr, 16));
  EXPECT_EQ(child.links[0].type, SpanRecord::Link::Type::kFollowsFrom);
  EXPECT_EQ(child.links[1].span_id, std::stoull(c->context().ToSpanID(), nullptr, 16));
  EXPECT_EQ(child.links[1].type, SpanRecord::Link::Type::kChildOf);
  EXPECT_NE(child.links[1].trace_id_high, 0U);
  EXPECT_NE(child.links[1].trace_id_low, child.trace_id_low);
}

TEST(Model, LinksBeyondASpansMemoryAreCountedAsCut) {
  RecordingTracer tracer;
  std::vector<std::unique_ptr<opentracing::Span>> spans;
  opentracing::StartSpanOptions options;
  for (int i = 0; i < 2000; ++i) {
    spans.push_back(tracer->StartSpan("one"));
    options.references.emplace_back(opentracing::SpanReferenceType::ChildOfRef,
                                    &spans.back()->context());
  }
  tracer->StartSpanWithOptions("child", options)->Finish();
  const RecordedSpan child = tracer.OnlySpan();
  EXPECT_GT(child.links.size(), 700U);
  EXPECT_EQ(child.links.size() + tracer->counters().truncated_attributes, 1999U);
}

TEST(Model, TheStatusIsWhatTheErrorTagSays) {
  const struct {
    opentracing::Value error;
    SpanStatus status;
    const char* message;
    bool zipkin_has_it;
  } cases[] = {{true, SpanStatus::kError, "", true},
               {"true", SpanStatus::kError, "", true},
               {"timeout", SpanStatus::kError, "timeout", true},
               {false, SpanStatus::kOk, "", false},
               {"false", SpanStatus::kOk, "", false}};
  RecordingTracer tracer;
  for (const auto& c : cases) {
    tracer->StartSpan("a", {opentracing::SetTag{"error", c.error}})->Finish();
    const RecordedSpan span = tracer.Spans().back();
    EXPECT_EQ(span.status, c.status);
    EXPECT_EQ(span.status_message, c.message);
    EXPECT_EQ(span.Tag("error").has_value(), c.zipkin_has_it);
  }
  tracer->StartSpan("a")->Finish();
  EXPECT_EQ(tracer.Spans().back().status, SpanStatus::kUnset);
}

TEST(Model, TheTraceStateOfTheParentIsKept) {
  RecordingTracer tracer;
  const Pairs headers = {{"traceparent", "00-11111111111111112222222222222222-3333333333333333-03"},
                         {"tracestate", "vendor=1,other=2"}};
  const auto parent = tracer->Extract(static_cast<const opentracing::HTTPHeadersReader&>(headers));
  ASSERT_TRUE(parent && *parent != nullptr);
  tracer->StartSpan("child", {ChildOf(parent->get())})->Finish();
  const RecordedSpan child = tracer.OnlySpan();
  EXPECT_EQ(child.trace_state, "vendor=1,other=2");
  EXPECT_TRUE(child.random_trace_id);
  tracer->StartSpan("root")->Finish();
  EXPECT_EQ(tracer.Spans().back().trace_state, "");
}

TEST(Model, TheTracersTagsAreTheResourcesAndNotTheSpans) {
  Options options;
  options.tags = {{"zone", "a"}, {"host", "h"}};
  RecordingTracer tracer(options);
  tracer->StartSpan("a", {opentracing::SetTag{"zone", 7}})->Finish();
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.typed_tags, (std::vector<Typed>{{"zone", "7", ValueType::kInt}}));
  EXPECT_EQ(span.Tag("zone"), "7");
  EXPECT_EQ(span.Tag("host"), "h");
}

TEST(Model, ReportedRecordsKeepAllOfIt) {
  RecordingTracer tracer;
  const SpanRecord::Tag fields[] = {{"attempt", "2", ValueType::kInt}, {"why", "slow"}};
  SpanRecord record;
  record.trace_id_low = record.span_id = 1;
  record.random_trace_id = true;
  record.trace_state = "vendor=1";
  record.status = SpanStatus::kError;
  record.status_message = "timeout";
  record.tags = {{"count", "3", ValueType::kInt}};
  record.annotations = {{7, "retry", {fields, 2}}};
  record.links = {{1, 2, 3, SpanRecord::Link::Type::kFollowsFrom}};
  tracer->Report(record);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_TRUE(span.random_trace_id);
  EXPECT_EQ(span.trace_state, "vendor=1");
  EXPECT_EQ(span.status, SpanStatus::kError);
  EXPECT_EQ(span.status_message, "timeout");
  EXPECT_EQ(span.Tag("error"), "timeout");
  EXPECT_EQ(span.Tag("count"), "3");
  EXPECT_EQ(span.logs.at(0).second, "retry attempt=2 why=slow");
  EXPECT_EQ(span.log_fields.at(0).type, ValueType::kInt);
  ASSERT_EQ(span.links.size(), 1U);
  EXPECT_EQ(span.links[0].trace_id_high, 1U);
  EXPECT_EQ(span.links[0].trace_id_low, 2U);
  EXPECT_EQ(span.links[0].span_id, 3U);
  EXPECT_EQ(span.links[0].type, SpanRecord::Link::Type::kFollowsFrom);
}

}  // namespace
}  // namespace tracekin::testing
