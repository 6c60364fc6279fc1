// SPDX-License-Identifier: Apache-2.0
#include "analysis/spans.h"

#include <gtest/gtest.h>

#include "tests/analysis/story.h"

namespace tracekin::analysis {
namespace {

TEST(Spans, OwnTimeIsWhatNoChildExplains) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Start(10, 1, 2, 1);
  story.Start(20, 1, 3, 1);
  story.Finish(40, 1, 2);
  story.Finish(50, 1, 3);
  story.Start(70, 1, 4, 1);
  story.Finish(100, 1, 1);
  story.Finish(120, 1, 4);
  EXPECT_EQ(story.Explained(1).own, 30u);  // 0 to 10 and 50 to 70
  EXPECT_EQ(story.Done().spans()[story.IndexOf(1)].children.size(), 3u);
}

TEST(Spans, AThreadWorksForTheInnermostScope) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Enters(10, 1, 1);
  story.Start(20, 1, 2, 1);  // is started, but has no scope
  story.Enters(30, 1, 3);
  story.Leaves(40, 1, 1);  // before the scope inside it
  story.Leaves(50, 1, 3);
  story.Finish(60, 1, 2);
  story.Finish(60, 1, 1);
  const Spans& spans = story.Done().spans();
  const auto active = [&](Time time) { return spans.ActiveAt(0, time); };
  EXPECT_EQ(active(5), story.IndexOf(1));
  EXPECT_EQ(active(25), story.IndexOf(1));
  EXPECT_EQ(active(35), story.IndexOf(3));
  EXPECT_EQ(active(45), story.IndexOf(3));
  EXPECT_EQ(active(55), story.IndexOf(2));
  EXPECT_EQ(active(60), kNoSpan);
}

// Two providers record the same span. Jaeger's events follow tracekin's events.
TEST(Spans, TheSameSpanOfTwoProvidersIsOne) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(10, 1, 1);
  story.Start(11, 1, 1);
  story.Finish(50, 1, 1);
  story.Finish(51, 1, 1);
  ASSERT_EQ(story.Done().spans().all().size(), 1u);
  EXPECT_EQ(story.Done().spans()[0].duration(), 40u);
}

// Client and server may share the ids of a span. The server's part is then the client's child.
TEST(Spans, SharedIdsAreTwoSpans) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(10, 1, 1, 0, "client");
  for (const auto& [time, kind] : {std::pair(20, Kind::kSpanStart), {30, Kind::kSpanFinish}}) {
    Event& event = story.OfSpan(static_cast<Time>(time), kind, 1, 1);
    event.pid = 2;
    event.text[Span::kSpanKind] = "server";
    story.Tell();
  }
  story.Finish(50, 1, 1);
  const Spans& spans = story.Done().spans();
  ASSERT_EQ(spans.all().size(), 2u);
  EXPECT_EQ(spans[1].parent, 0u);
  EXPECT_EQ(story.Explained(1).own, 30u);
}

TEST(Spans, ACircleOfParentsIsCut) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(10, 1, 1, 2);
  story.Start(20, 1, 2, 1);
  const Spans& spans = story.Done().spans();
  EXPECT_EQ(spans[0].parent, 1u);
  EXPECT_EQ(spans[1].parent, kNoSpan);
}

TEST(Spans, RecordsOfBlkinAreASpanFromTheFirstToTheLast) {
  Story story;
  story.Runs(0, 1, 0);
  const auto record = [&](Time time, const char* key, const char* value) {
    Event& event = story.OfSpan(time, Kind::kBlkin, 1, 5);
    event.number[Blkin::kParent] = 4;
    event.text[Blkin::kOperation] = "write";
    event.text[Blkin::kService] = "osd";
    event.text[Blkin::kKey] = key;
    event.text[Blkin::kValue] = value;
    story.Tell();
  };
  record(10, "", "sr");
  record(20, "object", "a \"b\"");
  record(40, "", "ss");
  const SpanRecord& span = story.Done().spans()[0];
  EXPECT_EQ(span.duration(), 30u);
  EXPECT_EQ(span.tags, "{\"object\":\"a \\\"b\\\"\"}");
  EXPECT_EQ(story.Done().spans().names()[span.kind], "server");
  EXPECT_EQ(span.logs.size(), 2u);
  EXPECT_EQ(story.Why(5), "running 30");
}

TEST(Spans, AreCountedWhenThereIsNoRoom) {
  Spans::Limits limits;
  limits.spans = 1;
  limits.details = 1;
  Spans spans(limits);
  Event event;
  for (const Kind kind : {Kind::kSpanStart, Kind::kSpanLog, Kind::kSpanLog}) {
    event.kind = kind;
    spans.Take(event, kNobody, 1);
  }
  event.number[Span::kSpan] = 2;
  event.kind = Kind::kSpanStart;
  spans.Take(event, kNobody, 1);
  EXPECT_EQ(spans.all().size(), 1u);
  EXPECT_EQ(spans.counts().spans_refused, 1u);
  EXPECT_EQ(spans.counts().details_refused, 1u);
}

}  // namespace
}  // namespace tracekin::analysis
