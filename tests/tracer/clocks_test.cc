// SPDX-License-Identifier: Apache-2.0
// Tests when a span begins, ends and logs: the timestamps of StartSpanOptions and
// FinishSpanOptions, alone and together. Explicit timestamps are exact to the nanosecond. Derived
// ones have a generous tolerance, because the tests only check which clock they come from.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

using opentracing::FinishTimestamp;
using opentracing::SetTag;
using opentracing::StartTimestamp;
using opentracing::SteadyClock;
using opentracing::SteadyTime;
using opentracing::SystemClock;
using opentracing::SystemTime;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds kClose = seconds(5);  // a loaded machine may stop a thread for long
const SystemTime kSystem{seconds(1'600'000'000) + nanoseconds(123'456'789)};
const SteadyTime kSteady{seconds(4'000) + nanoseconds(7)};

nanoseconds SinceEpoch(SystemTime time) { return time.time_since_epoch(); }

void ExpectClose(nanoseconds actual, nanoseconds expected) {
  EXPECT_LT(std::chrono::abs(actual - expected), kClose)
      << actual.count() << " is not " << expected.count();
}

/// Records a span that starts and finishes with these options.
RecordedSpan Record(const opentracing::StartSpanOptions& start,
                    const opentracing::FinishSpanOptions& finish,
                    const Options& options = Options{}) {
  RecordingTracer tracer(options);
  tracer->StartSpanWithOptions("a", start)->FinishWithOptions(finish);
  return tracer.OnlySpan();
}

opentracing::StartSpanOptions Start(SystemTime system, SteadyTime steady) {
  opentracing::StartSpanOptions options;
  options.start_system_timestamp = system;
  options.start_steady_timestamp = steady;
  return options;
}

opentracing::FinishSpanOptions Finish(SteadyTime steady) {
  opentracing::FinishSpanOptions options;
  options.finish_steady_timestamp = steady;
  return options;
}

TEST(SpanTimes, AreNowByDefault) {
  RecordingTracer tracer;
  const SteadyTime before = SteadyClock::now();
  auto span = tracer->StartSpan("a");
  const SteadyTime between = SteadyClock::now();
  while (SteadyClock::now() - between < milliseconds(2)) {
  }
  span->Finish();
  const nanoseconds most = SteadyClock::now() - before;
  const RecordedSpan recorded = tracer.OnlySpan();
  EXPECT_GE(recorded.duration_ns, nanoseconds(milliseconds(2)).count());
  EXPECT_LE(recorded.duration_ns, most.count());
  ExpectClose(nanoseconds(recorded.start_ns), SinceEpoch(SystemClock::now()));
}

TEST(SpanTimes, AreExactWhenBothClocksAreGiven) {
  RecordingTracer tracer;
  tracer->StartSpan("a", {StartTimestamp(kSystem, kSteady)})
      ->Finish({FinishTimestamp(kSteady + nanoseconds(1'234'567'891))});
  const RecordedSpan span = tracer.OnlySpan();
  EXPECT_EQ(span.start_ns, SinceEpoch(kSystem).count());
  EXPECT_EQ(span.duration_ns, 1'234'567'891);
}

TEST(SpanTimes, SteadyClockIsDerivedFromTheSystemClock) {
  const SystemTime start = SystemClock::now() - hours(1);
  const RecordedSpan span = Record(Start(start, {}), {});
  EXPECT_EQ(span.start_ns, SinceEpoch(start).count());
  ExpectClose(nanoseconds(span.duration_ns), hours(1));
}

TEST(SpanTimes, SystemClockIsDerivedFromTheSteadyClock) {
  const SteadyTime start = SteadyClock::now() - seconds(100);
  const RecordedSpan span = Record(Start({}, start), Finish(start + seconds(7)));
  ExpectClose(nanoseconds(span.start_ns), SinceEpoch(SystemClock::now()) - seconds(100));
  EXPECT_EQ(span.duration_ns, nanoseconds(seconds(7)).count());
}

TEST(SpanTimes, OptionsTakeASystemTimeOrADurationSinceTheEpoch) {
  const SystemTime start = SystemClock::now() - hours(1);
  RecordingTracer tracer;
  tracer->StartSpan("a", {StartTimestamp(start)})
      ->Finish({FinishTimestamp(SinceEpoch(start) + seconds(60))});
  tracer->StartSpan("b", {StartTimestamp(SinceEpoch(start))})->Finish();
  for (const RecordedSpan& span : tracer.Spans()) {
    EXPECT_EQ(span.start_ns, SinceEpoch(start).count());
    ExpectClose(nanoseconds(span.duration_ns), span.name == "a" ? seconds(60) : hours(1));
  }
}

TEST(SpanTimes, DefaultConstructedFinishTimeIsNow) {
  const RecordedSpan span = Record(Start(SystemClock::now(), SteadyClock::now() - seconds(50)), {});
  ExpectClose(nanoseconds(span.duration_ns), seconds(50));
}

TEST(SpanTimes, DurationIsNeverNegative) {
  EXPECT_EQ(Record(Start(kSystem, kSteady), Finish(kSteady - seconds(1))).duration_ns, 0);
  EXPECT_EQ(Record(Start(kSystem, kSteady), Finish(kSteady)).duration_ns, 0);
  EXPECT_EQ(Record(Start(SystemClock::now() + hours(1), {}), {}).duration_ns, 0);
}

// A timestamp out of range may be exported as nonsense, but must not cause undefined behaviour.
TEST(SpanTimes, NoTimestampOverflows) {
  for (const SystemTime system : {SystemTime::min(), SystemTime::max(), SystemTime{}}) {
    for (const SteadyTime start : {SteadyTime::min(), SteadyTime::max(), SteadyTime{}}) {
      for (const SteadyTime finish : {SteadyTime::min(), SteadyTime::max(), SteadyTime{}}) {
        EXPECT_GE(Record(Start(system, start), Finish(finish)).duration_ns, 0);
      }
    }
  }
}

TEST(SpanTimes, BeforeTheEpochAreKept) {
  const SystemTime start{seconds(-3)};
  const RecordedSpan span = Record(Start(start, kSteady), Finish(kSteady + seconds(1)));
  EXPECT_EQ(span.start_ns, SinceEpoch(start).count());
}

TEST(SpanTimes, OfASpanThatIsSampledLaterAreFromItsStart) {
  RecordingTracer tracer(WithSampler("never"));
  const auto span = tracer->StartSpan("a", {StartTimestamp(kSystem, kSteady)});
  span->SetTag("sampling.priority", 1);
  span->Finish({FinishTimestamp(kSteady + nanoseconds(5))});
  const auto without = tracer->StartSpan("b");
  without->SetTag("sampling.priority", 1);
  without->Finish();
  for (const RecordedSpan& recorded : tracer.Spans()) {
    if (recorded.name == "a") {
      EXPECT_EQ(recorded.start_ns, SinceEpoch(kSystem).count());
      EXPECT_EQ(recorded.duration_ns, 5);
    } else {
      ExpectClose(nanoseconds(recorded.start_ns), SinceEpoch(SystemClock::now()));
      ExpectClose(nanoseconds(recorded.duration_ns), seconds(0));
    }
  }
}

TEST(WallOffset, IsMeasuredAnewAfterASecond) {
  ThreadState state{};
  const std::int64_t now = SteadyNow();
  const nanoseconds offset(WallOffset(state, now));
  ExpectClose(offset, nanoseconds(SystemNow() - SteadyNow()));
  state.wall_offset = 42;  // as if the wall clock had been changed since then
  state.wall_offset_at = now;
  EXPECT_EQ(WallOffset(state, now + nanoseconds(seconds(1)).count()), 42);
  ExpectClose(nanoseconds(WallOffset(state, now + nanoseconds(seconds(1)).count() + 1)), offset);
}

TEST(LogTimes, AreNowOrAsGiven) {
  RecordingTracer tracer;
  const auto span = tracer->StartSpan("a", {StartTimestamp(kSystem, kSteady)});
  span->Log({{"event", "now"}});
  span->Log(kSystem + nanoseconds(1), {{"event", "list"}});
  const std::vector<std::pair<opentracing::string_view, opentracing::Value>> fields = {
      {"event", "vector"}};
  span->Log(kSystem + nanoseconds(2), fields);
  opentracing::FinishSpanOptions finish;
  finish.log_records = {{kSystem + nanoseconds(3), {{"event", "finish"}}}};
  span->FinishWithOptions(finish);
  const auto logs = tracer.OnlySpan().logs;
  ASSERT_EQ(logs.size(), 4u);
  ExpectClose(nanoseconds(logs[0].first), SinceEpoch(SystemClock::now()));
  for (std::size_t i = 1; i < logs.size(); ++i) {
    EXPECT_EQ(nanoseconds(logs[i].first), SinceEpoch(kSystem) + nanoseconds(i));
  }
}

TEST(SpanTimes, ChildrenLieWithinTheirParents) {
  RecordingTracer tracer;
  {
    const auto parent = tracer->StartSpan("parent");
    tracer->StartSpan("child", {opentracing::ChildOf(&parent->context())});
  }
  const auto spans = tracer.Spans();
  ASSERT_EQ(spans.size(), 2u);
  const RecordedSpan& child = spans[0];
  const RecordedSpan& parent = spans[1];
  EXPECT_LE(parent.start_ns, child.start_ns);
  EXPECT_GE(parent.start_ns + parent.duration_ns, child.start_ns + child.duration_ns);
}

}  // namespace
}  // namespace tracekin::testing
