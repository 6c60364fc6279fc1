// SPDX-License-Identifier: Apache-2.0
// Tests that a span's memory is bounded. Data that does not fit is truncated between two code
// points or omitted, is counted, and is reported in the span itself.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "exporter/pipeline/span_bytes.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

constexpr std::size_t kMegabyte = 1 << 20;

std::size_t TextBytes(const RecordedSpan& span) {
  std::size_t bytes = span.name.size();
  for (const auto& tag : span.tags) bytes += tag.first.size() + tag.second.size();
  for (const auto& log : span.logs) bytes += log.second.size();
  return bytes;
}

/// Returns a little more than a megabyte of a three-byte character. If it is truncated correctly,
/// its length is a multiple of three.
std::string LongText() {
  std::string text;
  while (text.size() < kMegabyte) text += "\u20ac";
  return text;
}

void ExpectCutWell(const std::string& text) {
  EXPECT_EQ(text.size() % 3, 0u);
  EXPECT_EQ(LongText().compare(0, text.size(), text), 0);
}

class SpanBounds : public ::testing::Test {
 protected:
  /// Finishes the span. Its tracekin.truncated tag and the counter must both be `truncated`.
  RecordedSpan Finish(std::uint64_t truncated) {
    span_->Finish();
    RecordedSpan recorded = tracer_.OnlySpan();
    EXPECT_EQ(tracer_->counters().truncated_attributes, truncated);
    EXPECT_EQ(recorded.Tag("tracekin.truncated").value_or("0"), std::to_string(truncated));
    EXPECT_LE(TextBytes(recorded), exporter::kMaxSpanBytes);
    return recorded;
  }

  RecordingTracer tracer_;
  std::unique_ptr<opentracing::Span> span_ = tracer_->StartSpan("a");
};

TEST_F(SpanBounds, LongTagIsCutAtACodePointWhereverItBegins) {
  for (const char* before : {"", "x", "xx"}) {
    RecordingTracer tracer;
    const auto span = tracer->StartSpan("a");
    span->SetTag("before", before);
    span->SetTag("long", LongText());
    span->Finish();
    const RecordedSpan recorded = tracer.OnlySpan();
    ExpectCutWell(*recorded.Tag("long"));
    EXPECT_EQ(recorded.Tag("tracekin.truncated"), "1");
  }
}

TEST_F(SpanBounds, LongTagUsesTheSpansMemory) {
  span_->SetTag("long", LongText());
  EXPECT_GT(Finish(1).Tag("long")->size(), exporter::kMaxSpanBytes - 1000);
}

TEST_F(SpanBounds, LongLogIsCutAtACodePoint) {
  span_->Log({{"event", LongText()}});
  const RecordedSpan recorded = Finish(1);
  ASSERT_EQ(recorded.logs.size(), 1u);
  ExpectCutWell(recorded.logs[0].second);
  EXPECT_GT(recorded.logs[0].second.size(), exporter::kMaxSpanBytes - 1000);
}

TEST_F(SpanBounds, LongFieldIsCutWithTheRestOfItsEntry) {
  span_->Log({{"event", "short"}, {"long", LongText()}, {"last", 1}});
  const RecordedSpan recorded = Finish(1);
  ASSERT_EQ(recorded.logs.size(), 1u);
  const std::string head = "short long=";
  EXPECT_EQ(recorded.logs[0].second.substr(0, head.size()), head);
  ExpectCutWell(recorded.logs[0].second.substr(head.size()));
}

TEST_F(SpanBounds, LongNameIsCutAtACodePoint) {
  span_->SetOperationName(LongText());
  const RecordedSpan recorded = Finish(1);
  ExpectCutWell(recorded.name);
  EXPECT_GT(recorded.name.size(), 500u);
  EXPECT_LE(recorded.name.size(), 512u);
}

TEST_F(SpanBounds, LongKeyIsCutAtACodePoint) {
  span_->SetTag(LongText(), "value");
  const RecordedSpan recorded = Finish(1);
  ASSERT_EQ(recorded.tags.size(), 2u);
  ExpectCutWell(recorded.tags[0].first);
  EXPECT_EQ(recorded.tags[0].second, "value");
}

TEST_F(SpanBounds, LongNestedValueIsCut) {
  span_->SetTag("list", opentracing::Values(100'000, opentracing::Value{"item"}));
  EXPECT_EQ(Finish(1).Tag("list")->substr(0, 9), "[\"item\",\"");
}

TEST_F(SpanBounds, ManyTagsAreKeptFromTheFirst) {
  constexpr std::uint64_t kTags = 100'000;
  for (std::uint64_t i = 0; i < kTags; ++i) span_->SetTag("key-" + std::to_string(i), i);
  span_->Finish();
  const RecordedSpan recorded = tracer_.OnlySpan();
  ASSERT_GT(recorded.tags.size(), 1000u);
  EXPECT_LE(TextBytes(recorded), exporter::kMaxSpanBytes);
  EXPECT_EQ(recorded.tags[0].first, "key-0");
  const std::uint64_t kept = recorded.tags.size() - 1;
  const std::uint64_t truncated = tracer_->counters().truncated_attributes;
  EXPECT_EQ(recorded.Tag("tracekin.truncated"), std::to_string(truncated));
  EXPECT_GE(kept + truncated, kTags);
  EXPECT_LE(kept + truncated, kTags + 1);  // the last tag that was kept may have been truncated
}

TEST_F(SpanBounds, ManyLogsAreKeptFromTheFirst) {
  constexpr std::uint64_t kLogs = 100'000;
  for (std::uint64_t i = 0; i < kLogs; ++i) span_->Log({{"event", i}});
  span_->Finish();
  const RecordedSpan recorded = tracer_.OnlySpan();
  ASSERT_GT(recorded.logs.size(), 1000u);
  EXPECT_EQ(recorded.logs[999].second, "999");
  const std::uint64_t truncated = tracer_->counters().truncated_attributes;
  EXPECT_GE(recorded.logs.size() + truncated, kLogs);
  EXPECT_LE(recorded.logs.size() + truncated, kLogs + 1);
}

TEST_F(SpanBounds, OneTagSetAMillionTimesDoesNotFillTheSpan) {
  for (int i = 0; i < 1'000'000; ++i) span_->SetTag("key", i);
  const RecordedSpan recorded = Finish(0);
  EXPECT_EQ(recorded.tags.size(), 1u);
  EXPECT_EQ(recorded.Tag("key"), "999999");
}

TEST_F(SpanBounds, TagsNamesAndLongTextsSetInTurnDoNotFillTheSpan) {
  for (int i = 0; i < 10'000; ++i) {
    span_->SetOperationName(std::string(static_cast<std::size_t>(i % 500), 'n'));
    span_->SetTag("long", std::string(static_cast<std::size_t>(i % 9000), 'v'));
    for (int key = 0; key < 10; ++key) span_->SetTag(std::to_string(key), i);
  }
  span_->SetOperationName("name");
  const RecordedSpan recorded = Finish(0);
  EXPECT_EQ(recorded.name, "name");
  EXPECT_EQ(recorded.tags.size(), 11u);
  EXPECT_EQ(recorded.Tag("9"), "9999");
}

class FullSpan : public SpanBounds {
 protected:
  FullSpan() {
    span_->SetTag("error", false);
    for (int i = 0; i < 10'000; ++i) span_->SetTag("key-" + std::to_string(i), i);
  }
  RecordedSpan Finish() {
    span_->Finish();
    return tracer_.OnlySpan();
  }
};

TEST_F(FullSpan, StillHasItsTagsReplaced) {
  span_->SetTag("key-7", 8);
  span_->SetTag("key-70", 9);
  const RecordedSpan recorded = Finish();
  EXPECT_EQ(recorded.Tag("key-7"), "8");
  EXPECT_EQ(recorded.Tag("key-70"), "9");
}

TEST_F(FullSpan, StillGetsAnotherNameAndKind) {
  span_->SetOperationName("b");
  span_->SetTag("span.kind", "server");
  const RecordedSpan recorded = Finish();
  EXPECT_EQ(recorded.name, "b");
  EXPECT_EQ(recorded.kind, SpanKind::kServer);
}

TEST_F(FullSpan, KeepsANameOfSomeKindWhenItGetsALongOne) {
  span_->SetOperationName(std::string(1000, 'b'));
  EXPECT_EQ(Finish().name[0], 'b');
}

TEST_F(FullSpan, UsesTheRoomOfALongTagThatWasReplaced) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  span->SetTag("long", LongText());
  span->SetTag("long", "short");
  span->SetTag("error", true);
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.Tag("long"), "short");
  EXPECT_EQ(recorded.Tag("error"), "true");
}

TEST(UnsampledSpan, TruncatesNothing) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("a");
  span->SetTag("long", LongText());
  span->Log({{"event", LongText()}});
  span->Finish();
  EXPECT_EQ(tracer->counters().truncated_attributes, 0u);
}

}  // namespace
}  // namespace tracekin::testing
