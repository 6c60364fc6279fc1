// SPDX-License-Identifier: Apache-2.0
// Tests which of a span's references becomes its parent. Zipkin supports one: the first ChildOf,
// otherwise the first FollowsFrom. Null references and those of other tracers are ignored.

#include <gtest/gtest.h>
#include <opentracing/mocktracer/tracer.h>
#include <opentracing/noop.h>

#include <string>
#include <vector>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;
using opentracing::FollowsFrom;
using opentracing::SpanReferenceType;
using opentracing::StartSpanOptions;

class References : public ::testing::Test {
 protected:
  static std::shared_ptr<opentracing::Tracer> MakeMockTracer() {
    return std::make_shared<opentracing::mocktracer::MockTracer>(
        opentracing::mocktracer::MockTracerOptions{});
  }

  /// Starts a child with references. Each is a letter, in upper case for ChildOf and lower case for
  /// FollowsFrom: span a, span b, nothing (0), a mock tracer's span (m) or the no-op tracer's span
  /// (n).
  std::unique_ptr<opentracing::Span> StartChild(const std::string& references) {
    StartSpanOptions options;
    for (const char letter : references) {
      const bool is_child = std::isupper(letter) != 0;
      options.references.emplace_back(
          is_child ? SpanReferenceType::ChildOfRef : SpanReferenceType::FollowsFromRef,
          Context(static_cast<char>(std::tolower(letter))));
    }
    return tracer_->StartSpanWithOptions("child", options);
  }

  const opentracing::SpanContext* Context(char letter) const {
    switch (letter) {
      case 'a':
        return &a_->context();
      case 'b':
        return &b_->context();
      case 'm':
        return &mock_span_->context();
      case 'n':
        return &noop_span_->context();
      default:
        return nullptr;
    }
  }

  RecordingTracer tracer_;
  const std::shared_ptr<opentracing::Tracer> mock_ = MakeMockTracer();
  const std::shared_ptr<opentracing::Tracer> noop_ = opentracing::MakeNoopTracer();
  std::unique_ptr<opentracing::Span> a_ = tracer_->StartSpan("a");
  std::unique_ptr<opentracing::Span> b_ = tracer_->StartSpan("b");
  std::unique_ptr<opentracing::Span> mock_span_ = mock_->StartSpan("mock");
  std::unique_ptr<opentracing::Span> noop_span_ = noop_->StartSpan("noop");
};

TEST_F(References, FirstChildOfElseFirstFollowsFromIsTheParent) {
  const struct {
    const char* references;
    char parent;
  } cases[] = {
      {"", '0'},   {"A", 'a'},  {"a", 'a'},   {"AB", 'a'},  {"BA", 'b'},  {"ab", 'a'}, {"ba", 'b'},
      {"aB", 'b'}, {"Ab", 'a'}, {"abA", 'a'}, {"AA", 'a'},  {"0", '0'},   {"M", '0'},  {"n", '0'},
      {"MB", 'b'}, {"Ma", 'a'}, {"0nA", 'a'}, {"Nmb", 'b'}, {"mN0", '0'},
  };
  for (const auto& c : cases) {
    const auto child = StartChild(c.references);
    const std::string child_id = child->context().ToSpanID();
    const std::string trace_id = child->context().ToTraceID();
    child->Finish();
    const RecordedSpan recorded = tracer_.Spans().back();
    const opentracing::SpanContext* parent = Context(c.parent);
    if (parent == nullptr) {
      EXPECT_EQ(recorded.parent_span_id, 0u) << c.references;
      for (const auto* other : {&a_->context(), &b_->context()}) {
        EXPECT_NE(trace_id, other->ToTraceID()) << c.references;
      }
    } else {
      EXPECT_EQ(recorded.parent_span_id, std::stoull(parent->ToSpanID(), nullptr, 16))
          << c.references;
      EXPECT_EQ(trace_id, parent->ToTraceID()) << c.references;
      EXPECT_NE(child_id, parent->ToSpanID()) << c.references;
    }
  }
}

TEST_F(References, OptionsOfTheApiArePassedOn) {
  tracer_->StartSpan("child", {ChildOf(&a_->context())});
  tracer_->StartSpan("follower", {FollowsFrom(&a_->context())});
  tracer_->StartSpan("orphan", {ChildOf(nullptr), FollowsFrom(nullptr)});
  const auto spans = tracer_.Spans();
  const std::uint64_t a = std::stoull(a_->context().ToSpanID(), nullptr, 16);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].parent_span_id, a);
  EXPECT_EQ(spans[1].parent_span_id, a);
  EXPECT_EQ(spans[2].parent_span_id, 0u);
}

TEST_F(References, MayBeMany) {
  std::vector<std::unique_ptr<opentracing::Span>> spans;
  StartSpanOptions options;
  for (int i = 0; i < 1000; ++i) {
    spans.push_back(tracer_->StartSpan("one of many"));
    spans.back()->SetBaggageItem("key-" + std::to_string(i), "value");
    options.references.emplace_back(SpanReferenceType::ChildOfRef, &spans.back()->context());
  }
  const auto child = tracer_->StartSpanWithOptions("child", options);
  EXPECT_EQ(child->context().ToTraceID(), spans[0]->context().ToTraceID());
  EXPECT_EQ(child->BaggageItem("key-0"), "value");
  EXPECT_EQ(child->BaggageItem("key-63"), "value");
  EXPECT_EQ(child->BaggageItem("key-64"), "");  // kMaxBaggageItems
}

TEST_F(References, AreNotRetained) {
  const auto child = StartChild("AB");
  const std::string trace_id = a_->context().ToTraceID();
  a_.reset();
  b_.reset();
  EXPECT_EQ(child->context().ToTraceID(), trace_id);
  EXPECT_EQ(tracer_->StartSpan("grandchild", {ChildOf(&child->context())})->context().ToTraceID(),
            trace_id);
}

TEST_F(References, MayBeFinishedSpansAndExtractedContexts) {
  a_->Finish();
  EXPECT_EQ(StartChild("A")->context().ToTraceID(), a_->context().ToTraceID());
  const auto clone = a_->context().Clone();
  const auto child = tracer_->StartSpan("child", {ChildOf(clone.get())});
  EXPECT_EQ(child->context().ToTraceID(), a_->context().ToTraceID());
}

TEST_F(References, OfAnotherTracerOfOursAreOurs) {
  RecordingTracer other;
  const auto child = other->StartSpan("child", {ChildOf(&a_->context())});
  EXPECT_EQ(child->context().ToTraceID(), a_->context().ToTraceID());
}

TEST_F(References, AChainKeepsItsTraceId) {
  auto span = tracer_->StartSpan("0");
  const std::string trace_id = span->context().ToTraceID();
  std::uint64_t parent = std::stoull(span->context().ToSpanID(), nullptr, 16);
  for (int i = 0; i < 100; ++i) {
    span = tracer_->StartSpan("next", {ChildOf(&span->context())});
    EXPECT_EQ(span->context().ToTraceID(), trace_id);
    const std::uint64_t id = std::stoull(span->context().ToSpanID(), nullptr, 16);
    span->Finish();
    EXPECT_EQ(tracer_.Spans().back().parent_span_id, parent);
    parent = id;
  }
}

}  // namespace
}  // namespace tracekin::testing
