// SPDX-License-Identifier: Apache-2.0
// Tests the table that turns BlkKin's records into spans.

#include "integrations/blkin/partial_spans.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "integrations/blkin/process.h"
#include "tests/integrations/blkin/blkin_tracer.h"
#include "tests/support/fork.h"
#include "tests/support/ledger_tracer.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

using blkin::Origin;
using blkin::PartialSpans;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kNow = 1'700'000'000'000'000'000;

Origin From(std::int64_t span_id) { return {{1, span_id, 0}, "request", "disk", "10.0.0.1", 5000}; }

class PartialSpansTest : public ::testing::Test {
 protected:
  void Limit(const BlkinLimits& limits) { table_.SetTracer(tracer_.shared(), limits); }
  void SetUp() override { Limit({}); }

  std::vector<RecordedSpan> Reported() { return tracer_.Spans(); }
  std::vector<RecordedSpan> All() {
    table_.ReportAll();
    return tracer_.Spans();
  }
  RecordedSpan Only() {
    const auto spans = All();
    EXPECT_THAT(spans, SizeIs(1));
    return spans.empty() ? RecordedSpan{} : spans.front();
  }

  RecordingTracer tracer_;
  PartialSpans table_;
};

TEST_F(PartialSpansTest, ASpanIsReportedWhenItsEndIsRecorded) {
  for (const char* end : {"ss", "cr", "end", "Span ended", "message destructed"}) {
    RecordingTracer tracer;
    table_.SetTracer(tracer.shared(), {});
    table_.Annotate(From(1), "begin", kNow);
    EXPECT_THAT(tracer.Spans(), IsEmpty()) << end;
    table_.Annotate(From(1), end, kNow + 7000);
    EXPECT_THAT(Events(tracer.OnlySpan()), ElementsAre("begin", end));
  }
}

TEST_F(PartialSpansTest, OtherWordsDoNotEndASpan) {
  for (const char* event : {"", "cs", "sr", "ends", "e", "ws", "ssf", "End", "span ended"}) {
    table_.Annotate(From(1), event, kNow);
  }
  EXPECT_THAT(Reported(), IsEmpty());
}

TEST_F(PartialSpansTest, ASpanHasWhatWasRecorded) {
  const Origin origin = {{-1, 0x7000000000000001, 3}, "read", "osd.1", "10.0.0.7", 6800};
  table_.Annotate(origin, "first", kNow + 1);
  table_.Tag(origin, "tid", "-5", kNow + 2);
  table_.Tag(origin, "object", "a", kNow + 3);
  table_.Tag(origin, "object", "b", kNow + 4);
  table_.Annotate(origin, "last", kNow + 5000);
  const RecordedSpan span = Only();
  EXPECT_EQ(span.trace_id_high, 0U);
  EXPECT_EQ(span.trace_id_low, UINT64_MAX);
  EXPECT_EQ(span.span_id, 0x7000000000000001U);
  EXPECT_EQ(span.parent_span_id, 3U);
  EXPECT_EQ(span.name, "read");
  EXPECT_EQ(std::tie(span.service, span.ipv4, span.ipv6, span.port),
            std::make_tuple("osd.1", "10.0.0.7", "", 6800));
  EXPECT_EQ(span.kind, SpanKind::kLocal);
  EXPECT_EQ(span.start_ns, kNow + 1);
  EXPECT_EQ(span.duration_ns, 4999);
  EXPECT_EQ(span.Tag("tid"), "-5");
  EXPECT_EQ(span.Tag("object"), "b");
  EXPECT_EQ(span.logs, (decltype(span.logs){{kNow + 1, "first"}, {kNow + 5000, "last"}}));
}

TEST_F(PartialSpansTest, SpansAreToldApartByBothIds) {
  Origin other = From(1);
  other.ids.trace_id = 2;
  table_.Annotate(From(1), "a", kNow);
  table_.Annotate(From(2), "b", kNow);
  table_.Annotate(other, "c", kNow);
  EXPECT_THAT(All(), SizeIs(3));
}

TEST_F(PartialSpansTest, ClientsAndServersSayWhenTheyBeginAndEnd) {
  table_.Annotate(From(1), "queued", kNow);
  table_.Annotate(From(1), "cs", kNow + 1000);
  table_.Annotate(From(1), "ws", kNow + 2000);
  table_.Annotate(From(1), "cr", kNow + 9000);
  table_.Annotate(From(2), "wr", kNow);
  table_.Annotate(From(2), "sr", kNow + 100);
  table_.Annotate(From(2), "ss", kNow + 300);
  const auto spans = Reported();
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[0].kind, SpanKind::kClient);
  EXPECT_EQ(spans[0].start_ns, kNow + 1000);
  EXPECT_EQ(spans[0].duration_ns, 8000);
  EXPECT_THAT(Events(spans[0]), ElementsAre("queued", "cs", "ws", "cr"));
  EXPECT_EQ(spans[1].kind, SpanKind::kServer);
  EXPECT_EQ(spans[1].start_ns, kNow + 100);
  EXPECT_EQ(spans[1].duration_ns, 200);
}

TEST_F(PartialSpansTest, OneThatEndsWithoutHavingBegunBeginsAtItsFirstEvent) {
  table_.Annotate(From(1), "x", kNow);
  table_.Annotate(From(1), "cr", kNow + 500);
  const RecordedSpan span = Only();
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.start_ns, kNow);
  EXPECT_EQ(span.duration_ns, 500);
}

// Client and server in one process use the same ids.
TEST_F(PartialSpansTest, AServersEndDoesNotEndAClient) {
  for (const char* event : {"cs", "sr", "ss"}) table_.Annotate(From(1), event, kNow);
  EXPECT_THAT(Reported(), IsEmpty());
  table_.Annotate(From(1), "cr", kNow + 10);
  const RecordedSpan span = Only();
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.duration_ns, 10);
}

TEST_F(PartialSpansTest, AClockThatIsSetBackMakesNoNegativeDuration) {
  table_.Annotate(From(1), "a", kNow);
  table_.Annotate(From(1), "end", kNow - 1'000'000);
  EXPECT_EQ(Only().duration_ns, 0);
}

TEST_F(PartialSpansTest, TagsAloneGiveTheTimes) {
  table_.Tag(From(1), "a", "1", kNow);
  table_.Tag(From(1), "b", "2", kNow + 40);
  const RecordedSpan span = Only();
  EXPECT_EQ(span.start_ns, kNow);
  EXPECT_EQ(span.duration_ns, 40);
  EXPECT_THAT(span.logs, IsEmpty());
}

TEST_F(PartialSpansTest, EndpointsAreCleaned) {
  const struct {
    const char* ip;
    int port;
    const char* ipv4;
    const char* ipv6;
    int clean_port;
  } cases[] = {{"NaN", -1, "", "", 65535},
               {"10.0.0.1", -25536, "10.0.0.1", "", 40000},
               {"10.0.0.1", 65536 + 80, "10.0.0.1", "", 80},
               {"2001:db8::1", 0, "", "2001:db8::1", 0},
               {"::gg", 0, "", "", 0},
               {"", 0, "", "", 0},
               {"host.example", 0, "", "", 0}};
  std::int64_t id = 0;
  for (const auto& one : cases) {
    table_.Annotate({{1, ++id, 0}, "n", "s", one.ip, one.port}, "end", kNow);
    const RecordedSpan span = Reported().back();
    EXPECT_EQ(std::tie(span.ipv4, span.ipv6, span.port),
              std::make_tuple(one.ipv4, one.ipv6, one.clean_port))
        << one.ip;
  }
}

TEST_F(PartialSpansTest, TheFirstNameThatIsOneStays) {
  Origin origin = From(1);
  origin.name = "";
  table_.Annotate(origin, "a", kNow);
  origin.name = "write";
  table_.Annotate(origin, "b", kNow);
  origin.name = "other";
  table_.Annotate(origin, "end", kNow);
  EXPECT_EQ(Only().name, "write");
}

TEST_F(PartialSpansTest, ALateEventIsALaterPartOfTheSpan) {
  table_.Annotate(From(1), "a", kNow);
  table_.Annotate(From(1), "end", kNow + 5000);
  table_.Annotate(From(1), "message destructed", kNow + 9000);
  table_.Annotate(From(1), "even later", kNow + 10000);
  const auto spans = All();
  ASSERT_THAT(spans, SizeIs(3));
  EXPECT_EQ(spans[0].duration_ns, 5000);
  for (const RecordedSpan& late : {spans[1], spans[2]}) {
    EXPECT_EQ(late.trace_id_low, 1U);
    EXPECT_EQ(late.span_id, 1U);
    EXPECT_EQ(late.name, "request");
    EXPECT_EQ(late.service, "disk");
    EXPECT_EQ(late.start_ns, 0);
    EXPECT_LT(late.duration_ns, 0);  // unknown
  }
  EXPECT_THAT(Events(spans[1]), ElementsAre("message destructed"));
  EXPECT_THAT(Events(spans[2]), ElementsAre("even later"));
}

TEST_F(PartialSpansTest, AnIdleSpanIsReportedAndThenForgotten) {
  BlkinLimits limits;
  limits.idle_timeout = milliseconds(50);
  Limit(limits);
  table_.Annotate(From(1), "a", kNow);
  table_.ReportIdle();
  EXPECT_THAT(Reported(), IsEmpty());
  ASSERT_TRUE(Eventually([this] {
    table_.ReportIdle();
    return !Reported().empty();
  }));
  table_.Annotate(From(1), "late", kNow + 10);
  EXPECT_LT(All().back().duration_ns, 0);  // recognized as a later part ...
  std::this_thread::sleep_for(milliseconds(100));
  table_.ReportIdle();
  table_.Annotate(From(1), "later still", kNow + 20);
  EXPECT_EQ(All().back().duration_ns, 0);  // ... but only for a limited time
}

TEST_F(PartialSpansTest, ASpanThatIsUsedIsNotIdle) {
  BlkinLimits limits;
  limits.idle_timeout = milliseconds(500);
  Limit(limits);
  const Stopwatch watch;
  while (watch.elapsed() < milliseconds(1200)) {
    table_.Annotate(From(1), "a", kNow);
    table_.ReportIdle();
    ASSERT_THAT(Reported(), IsEmpty());
    std::this_thread::sleep_for(milliseconds(5));
  }
}

TEST_F(PartialSpansTest, AnOldSpanIsReportedThoughItIsUsed) {
  BlkinLimits limits;
  limits.max_age = milliseconds(50);
  Limit(limits);
  ASSERT_TRUE(Eventually([this] {
    table_.Annotate(From(1), "a", kNow);
    return !Reported().empty();
  }));
  EXPECT_GE(Reported().front().logs.size(), 2U);
  EXPECT_LT(All().back().duration_ns, 0);
}

TEST_F(PartialSpansTest, TooManySpansMakeTheIdlestGo) {
  BlkinLimits limits;
  limits.max_spans = 320;
  Limit(limits);
  constexpr int kSpans = 10'000;
  for (int id = 1; id <= kSpans; ++id) table_.Annotate(From(id), "a", kNow);
  const auto early = Reported();
  EXPECT_GE(early.size(), kSpans - 320U);
  // The latest spans are still in the table, so their end is part of them.
  table_.Annotate(From(kSpans), "end", kNow);
  EXPECT_THAT(Events(Reported().back()), ElementsAre("a", "end"));
  EXPECT_THAT(All(), SizeIs(kSpans));  // no span is lost
}

TEST_F(PartialSpansTest, AFullSpanIsReportedAndGoesOn) {
  BlkinLimits limits;
  limits.max_span_bytes = 2000;
  Limit(limits);
  const std::string text(300, 'x');
  for (int i = 0; i < 50; ++i) table_.Annotate(From(1), text, kNow + i);
  const auto spans = All();
  EXPECT_GE(spans.size(), 8U);
  std::size_t events = 0;
  for (const RecordedSpan& span : spans) {
    EXPECT_LE(span.logs.size(), 6U);
    EXPECT_EQ(span.duration_ns < 0, events != 0);
    events += span.logs.size();
  }
  EXPECT_EQ(events, 50U);
}

TEST_F(PartialSpansTest, AllTextIsBounded) {
  BlkinLimits limits;
  limits.max_bytes = 320'000;
  Limit(limits);
  const std::string text(1000, 'x');
  for (int id = 1; id <= 1000; ++id) table_.Annotate(From(id), text, kNow);
  EXPECT_GE(Reported().size(), 1000U - 320U);
  EXPECT_THAT(All(), SizeIs(1000));
}

TEST_F(PartialSpansTest, AHugeTextIsCutByTheTracer) {
  table_.Tag(From(1), "k", std::string(1'000'000, 'x'), kNow);
  EXPECT_NE(Only().Tag("tracekin.truncated"), std::nullopt);
}

TEST_F(PartialSpansTest, AnotherTracerGetsWhatComesAfter) {
  RecordingTracer other;
  table_.Annotate(From(1), "a", kNow);
  table_.SetTracer(other.shared(), {});
  table_.Annotate(From(1), "end", kNow);
  EXPECT_THAT(Events(tracer_.OnlySpan()), ElementsAre("a"));
  EXPECT_THAT(Events(other.OnlySpan()), ElementsAre("end"));
  EXPECT_EQ(other.OnlySpan().duration_ns, 0);  // the first part that this tracer receives
}

TEST_F(PartialSpansTest, WithoutATracerNothingIsKept) {
  table_.SetTracer(nullptr, {});
  EXPECT_FALSE(table_.active());
  table_.Annotate(From(1), "a", kNow);
  table_.SetTracer(tracer_.shared(), {});
  EXPECT_TRUE(table_.active());
  EXPECT_THAT(All(), IsEmpty());
}

TEST_F(PartialSpansTest, ATracerThatIsReplacedIsGivenUp) {
  table_.Annotate(From(1), "a", kNow);
  table_.SetTracer(nullptr, {});
  tracer_.Spans();
  tracer_.Release();
  EXPECT_TRUE(Eventually([this] { return tracer_.TracerDestroyed(); }));
}

TEST_F(PartialSpansTest, ThreadsMayRecordToTheSameSpans) {
  constexpr int kThreads = 4, kRounds = 500, kSpans = 16;
  BlkinLimits limits;
  limits.max_spans = 64;
  Limit(limits);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int round = 0; round < kRounds; ++round) {
        table_.Annotate(From(round % kSpans + 1), round % 100 == 99 ? "end" : "a", kNow);
        table_.Tag(From(round % kSpans + 1), std::to_string(thread), "x", kNow);
        if (round % 50 == 0) table_.ReportIdle();
        if (thread == 0 && round % 200 == 0) table_.SetTracer(tracer_.shared(), {});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t events = 0;
  for (const RecordedSpan& span : All()) events += span.logs.size();
  EXPECT_EQ(events, std::size_t{kThreads} * kRounds);
  EXPECT_TRUE(Conserved(tracer_->counters(), 0));
}

TEST(BlkinFork, TheChildDoesNotReportTheParentsSpans) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const Ledger ledger;
  const auto tracer = ledger.MakeTracer();
  SetBlkinTracer(tracer);
  PartialSpans& spans = blkin::Spans();
  spans.Annotate(From(1), "a", kNow);
  const pid_t child = InFork([&] {
    spans.Annotate(From(2), "a", kNow);
    EXPECT_TRUE(FlushBlkin(RecordingTracer::kPatience));
  });
  spans.Annotate(From(1), "end", kNow);
  EXPECT_TRUE(FlushBlkin(RecordingTracer::kPatience));
  SetBlkinTracer(nullptr);
  const auto lines = ledger.lines();
  ASSERT_THAT(lines, SizeIs(2));
  for (const Ledger::Line& line : lines) {
    EXPECT_EQ(line.span_id, line.pid == child ? 2U : 1U);
  }
}

TEST(BlkinFork, WhileThreadsRecord) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  BlkinTracer tracer;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&stop, thread] {
      for (std::int64_t id = 1; !stop; ++id) {
        blkin::Spans().Annotate(From(id * 4 + thread), id % 2 == 0 ? "end" : "a", kNow);
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    InFork([] {
      for (int id = 1; id < 100; ++id) blkin::Spans().Annotate(From(id), "a", kNow);
      blkin::Spans().ReportAll();
    });
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// Waits until a span has arrived before it flushes, because a Flush() during which a span arrives
// returns false.
bool ReportsEventually(BlkinTracer* tracer) {
  const auto reported = [tracer] {
    const Counters counters = (*tracer)->counters();
    return counters.queued + counters.in_flight + counters.exported != 0;
  };
  return Eventually(reported) && !tracer->Reported().empty();
}

TEST(BlkinIdle, AThreadReportsIdleSpans) {
  BlkinLimits limits;
  limits.idle_timeout = milliseconds(50);
  BlkinTracer tracer({}, limits);
  blkin::Spans().Annotate(From(1), "a", kNow);
  EXPECT_TRUE(ReportsEventually(&tracer));
}

TEST(BlkinIdle, AlsoInTheChildOfAFork) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  BlkinLimits limits;
  limits.idle_timeout = milliseconds(50);
  BlkinTracer tracer({}, limits);
  InFork([&] {
    blkin::Spans().Annotate(From(2), "a", kNow);
    EXPECT_TRUE(ReportsEventually(&tracer));
  });
}

}  // namespace
}  // namespace tracekin::testing
