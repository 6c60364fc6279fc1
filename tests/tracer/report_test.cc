// SPDX-License-Identifier: Apache-2.0
// Tests Tracer::Report and Tracer::Sample: spans and traces that do not begin with StartSpan.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

SpanRecord FullRecord() {
  SpanRecord record;
  record.trace_id_high = 1;
  record.trace_id_low = 2;
  record.span_id = 3;
  record.parent_span_id = 4;
  record.start_ns = 1510256710021866999;
  record.duration_ns = 1117999;
  record.kind = SpanKind::kServer;
  record.debug = record.shared = true;
  record.name = "get";
  record.local = {"disk", "10.0.0.1", "2001:db8::2", 5000};
  record.remote = {"client", "10.0.0.2", "2001:db8::3", 65535};
  record.tags = {{"key", "value"}, {"empty", ""}};
  record.annotations = {{1510256710022000001, "start"}, {1510256710022000002, ""}};
  return record;
}

TEST(Report, ExportsEveryFieldOfARecord) {
  RecordingTracer tracer;
  tracer->Report(FullRecord());
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.trace_id_high, 1U);
  EXPECT_EQ(span.trace_id_low, 2U);
  EXPECT_EQ(span.span_id, 3U);
  EXPECT_EQ(span.parent_span_id, 4U);
  EXPECT_EQ(span.start_ns, 1510256710021866999);
  EXPECT_EQ(span.duration_ns, 1117999);
  EXPECT_EQ(span.kind, SpanKind::kServer);
  EXPECT_TRUE(span.debug);
  EXPECT_TRUE(span.shared);
  EXPECT_EQ(span.name, "get");
  EXPECT_EQ(std::tie(span.service, span.ipv4, span.ipv6, span.port),
            std::make_tuple("disk", "10.0.0.1", "2001:db8::2", 5000));
  EXPECT_EQ(std::tie(span.remote_service, span.remote_ipv4, span.remote_ipv6, span.remote_port),
            std::make_tuple("client", "10.0.0.2", "2001:db8::3", 65535));
  using Pairs = decltype(span.tags);
  EXPECT_EQ(span.tags, (Pairs{{"key", "value"}, {"empty", ""}}));
  EXPECT_EQ(span.logs,
            (decltype(span.logs){{1510256710022000001, "start"}, {1510256710022000002, ""}}));
}

TEST(Report, AnEmptyEndpointIsTheTracers) {
  RecordingTracer tracer;
  SpanRecord record;
  record.trace_id_low = record.span_id = 1;
  tracer->Report(record);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.service, "test");
  EXPECT_EQ(span.ipv4 + span.ipv6, "");
  EXPECT_EQ(span.port, 0);
  EXPECT_EQ(span.remote_service, "");
}

TEST(Report, TheTracersTagsAreSetUnlessTheRecordHasThem) {
  Options options;
  options.tags = {{"key", "tracer"}, {"zone", "a"}};
  RecordingTracer tracer(options);
  tracer->Report(FullRecord());
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.Tag("key"), "value");
  EXPECT_EQ(span.Tag("zone"), "a");
}

TEST(Report, AddressesThatAreNoneAreLeftOut) {
  RecordingTracer tracer;
  SpanRecord record = FullRecord();
  record.local.ipv4 = "NaN";
  record.local.ipv6 = "10.0.0.1";
  tracer->Report(record);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.ipv4 + span.ipv6, "");
}

TEST(Report, IsBoundedAndMadeValidText) {
  RecordingTracer tracer;
  SpanRecord record = FullRecord();
  const std::string huge(100'000, 'x');
  record.local.service_name = "a\xFFz";
  record.tags = {{"a\xFFz", huge}};
  tracer->Report(record);
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.service, "a\xEF\xBF\xBDz");
  EXPECT_NE(span.Tag("tracekin.truncated"), std::nullopt);
  EXPECT_GT(span.Tag("a\xEF\xBF\xBDz")->size(), 30'000U);
  EXPECT_GT(tracer->counters().truncated_attributes, 0U);
}

TEST(Report, IsCounted) {
  RecordingTracer tracer;
  for (int i = 0; i < 10; ++i) tracer->Report(FullRecord());
  EXPECT_EQ(tracer.Spans().size(), 10U);
  tracer->Close();
  tracer->Report(FullRecord());
  const Counters counters = tracer->counters();
  EXPECT_EQ(counters.started, 11U);
  EXPECT_EQ(counters.exported, 10U);
  EXPECT_EQ(counters.dropped.closed, 1U);
  EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
}

TEST(Sample, IsTheSamplersWord) {
  Options options;
  options.sampler.type = "never";
  RecordingTracer never(options);
  EXPECT_FALSE(never->Sample(1));
  options.sampler.type = "probabilistic";
  options.sampler.rate = 0.5;
  RecordingTracer half(options);
  int sampled = 0;
  for (std::uint64_t id = 0; id < 256; ++id) sampled += half->Sample(id << 48);
  EXPECT_EQ(sampled, 128);
}

}  // namespace
}  // namespace tracekin::testing
