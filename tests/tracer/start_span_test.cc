// SPDX-License-Identifier: Apache-2.0
// Tests Tracer::StartSpan as <opentracing/tracer.h> specifies it: names, tags and the span's
// position in the trace.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::SetTag;
using opentracing::StartSpanOptions;
using opentracing::Value;

TEST(StartSpan, ExportsNameServiceAndIds) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("operation");
  const auto& context = span->context();
  span->Finish();

  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.name, "operation");
  EXPECT_EQ(recorded.service, "test");
  EXPECT_EQ(recorded.kind, SpanKind::kLocal);
  EXPECT_EQ(recorded.parent_span_id, 0u);
  EXPECT_FALSE(recorded.debug);
  EXPECT_TRUE(recorded.tags.empty());
  EXPECT_TRUE(recorded.logs.empty());
  char ids[50];
  snprintf(ids, sizeof ids, "%016lx%016lx-%016lx", recorded.trace_id_high, recorded.trace_id_low,
           recorded.span_id);
  EXPECT_EQ(ids, context.ToTraceID() + '-' + context.ToSpanID());
}

TEST(StartSpan, SpanKnowsItsTracer) {
  RecordingTracer tracer;
  EXPECT_EQ(&tracer->StartSpan("a")->tracer(), tracer.shared().get());
}

TEST(StartSpan, SetsTagsGivenWithIt) {
  RecordingTracer tracer;
  tracer->StartSpan("a", {SetTag{"text", "value"}, SetTag{"number", 7}, SetTag{"yes", true}});
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.tags.size(), 3u);
  EXPECT_EQ(span.Tag("text"), "value");
  EXPECT_EQ(span.Tag("number"), "7");
  EXPECT_EQ(span.Tag("yes"), "true");
}

TEST(StartSpan, LastTagOfAKeyGivenWithItWins) {
  RecordingTracer tracer;
  StartSpanOptions options;
  options.tags = {{"key", Value{1}}, {"other", Value{2}}, {"key", Value{3}}};
  tracer->StartSpanWithOptions("a", options);
  EXPECT_EQ(tracer.OnlySpan().Tag("key"), "3");
}

TEST(StartSpan, SetsTheTracersTagsOnEverySpan) {
  Options options;
  options.tags = {{"env", "test"}, {"host", "web-1"}};
  RecordingTracer tracer(options);
  tracer->StartSpan("a");
  tracer->StartSpan("b");
  for (const RecordedSpan& span : tracer.Spans()) {
    EXPECT_EQ(span.tags.size(), 2u);
    EXPECT_EQ(span.Tag("env"), "test");
    EXPECT_EQ(span.Tag("host"), "web-1");
  }
}

TEST(StartSpan, SpansOwnTagReplacesTheTracers) {
  Options options;
  options.tags = {{"env", "test"}, {"host", "web-1"}, {"span.kind", "server"}};
  RecordingTracer tracer(options);
  const auto span = tracer->StartSpan("a", {SetTag{"env", "other"}});
  span->SetTag("host", "web-2");
  span->SetTag("span.kind", "client");
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.Tag("env"), "other");
  EXPECT_EQ(recorded.Tag("host"), "web-2");
  EXPECT_EQ(recorded.Tag("span.kind"), std::nullopt);
  EXPECT_EQ(recorded.kind, SpanKind::kClient);
}

TEST(StartSpan, SetsMoreTracerTagsThanASpanHoldsInItself) {
  Options options;
  for (int i = 0; i < 200; ++i) options.tags["key-" + std::to_string(i)] = std::string(20, 'v');
  RecordingTracer tracer(options);
  tracer->StartSpan("a");
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.name, "a");
  EXPECT_EQ(span.tags.size(), 200u);
  EXPECT_EQ(tracer->counters().truncated_attributes, 0u);
}

TEST(StartSpan, TakesAnyName) {
  const std::string multiline("\x01\n\"\\", 4);
  for (const std::string& name :
       {std::string(), std::string("ünïcödé \U0001F600"), multiline, std::string(512, 'n')}) {
    RecordingTracer tracer;
    tracer->StartSpan(name);
    EXPECT_EQ(tracer.OnlySpan().name, name);
  }
}

TEST(StartSpan, TextNeedsNoTerminator) {
  const std::string text = "namekeyvalue";
  const opentracing::string_view all(text);
  RecordingTracer tracer;
  const auto span = tracer->StartSpan({all.data(), 4});
  const opentracing::string_view key(all.data() + 4, 3);
  span->SetTag(key, opentracing::string_view{all.data() + 7, 3});
  span->SetBaggageItem(key, {all.data() + 7, 2});
  EXPECT_EQ(span->BaggageItem(key), "va");
  span->Log({{key, opentracing::string_view{all.data() + 7, 4}}});
  span->SetOperationName({all.data(), 3});
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.name, "nam");
  EXPECT_EQ(recorded.Tag("key"), "val");
  EXPECT_EQ(recorded.logs.at(0).second, "key=valu");
}

TEST(StartSpan, BorrowsNothingThatWasGiven) {
  RecordingTracer tracer;
  std::string text(100, 'a');
  StartSpanOptions options;
  options.tags = {{text, Value{opentracing::string_view{text}}}};
  const auto span = tracer->StartSpanWithOptions(text, options);
  span->SetTag("c", text.c_str());
  span->Log({{"event", text.c_str()}});
  text.assign(100, 'b');
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  const std::string as(100, 'a');
  EXPECT_EQ(recorded.name, as);
  EXPECT_EQ(recorded.Tag(as), as);
  EXPECT_EQ(recorded.Tag("c"), as);
  EXPECT_EQ(recorded.logs.at(0).second, as);
}

TEST(SetOperationName, ReplacesTheName) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("first");
  span->SetTag("between", 1);
  span->SetOperationName("a second and longer one");
  span->SetOperationName("");
  span->SetOperationName("third");
  span->Finish();
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_EQ(recorded.name, "third");
  EXPECT_EQ(recorded.Tag("between"), "1");
}

TEST(SetOperationName, IsKeptByASpanThatIsSampledLaterOnly) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("first");
  span->SetOperationName("second");
  span->SetTag("sampling.priority", 1);
  span->Finish();
  EXPECT_EQ(tracer.OnlySpan().name, "second");
}

}  // namespace
}  // namespace tracekin::testing
