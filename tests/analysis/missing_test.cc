// SPDX-License-Identifier: Apache-2.0
// Tests that time which the recording does not explain is reported as unknown, with the reason.
#include <gtest/gtest.h>

#include "tests/analysis/story.h"

namespace tracekin::analysis {
namespace {

TEST(Missing, KernelTrace) {
  Story story(1, false);
  story.Start(10, 1, 1);
  story.Finish(60, 1, 1);
  EXPECT_EQ(story.Why(1), "unknown 50 (no kernel trace)");
  EXPECT_EQ(story.Explained(1).basis, Basis::kThread);
}

// Without a kernel trace, scopes still show when a span was queued.
TEST(Missing, KernelTraceWithScopes) {
  Story story(1, false);
  story.Start(0, 1, 1);
  story.Enters(20, 2, 1);
  story.Leaves(50, 2, 1);
  story.Finish(50, 2, 1);
  EXPECT_EQ(story.Why(1), "queued unknown 20 (no kernel trace); unknown 30 (no kernel trace)");
  EXPECT_EQ(story.Explained(1).basis, Basis::kScopes);
}

TEST(Missing, FinishOfASpan) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(10, 1, 1);
  story.Blocks(50, 1);
  story.Runs(70, 2, 0);
  EXPECT_EQ(story.Why(1), "running 40; unknown 20 (still waiting at the end)");
  EXPECT_FALSE(story.Done().spans()[0].finish_seen);
}

TEST(Missing, StartOfASpan) {
  Story story;
  story.Runs(40, 1, 0);
  story.Finish(100, 1, 1, 80);
  EXPECT_EQ(story.Done().spans()[0].start, 20u);
  EXPECT_EQ(story.Why(1), "unknown 20 (no wake-up recorded); running 60");
}

// The span began before the kernel's first event, 1000 ns after the clock's beginning.
TEST(Missing, KernelTraceAtTheStart) {
  Story story(0);
  Event& event = story.OfSpan(900, Kind::kSpanStart, 1, 1);
  event.pid_namespace = 0xEFFFFFFC;
  story.Tell();
  Event& first = story.New(1000, Kind::kSwitch, 0);
  first.number[Switch::kPrevTid] = 1;
  first.number[Switch::kPrevState] = kSleeps;
  first.number[Switch::kNextTid] = 0;
  story.Tell();
  Event& finish = story.OfSpan(1010, Kind::kSpanFinish, 1, 1);
  finish.pid_namespace = 0xEFFFFFFC;
  story.Tell();
  EXPECT_EQ(story.Why(1),
            "unknown 100 (before the recording); unknown 10 (still waiting at the end)");
}

// The first switch of a CPU shows which thread has used it since the beginning. The first wake-up
// of a thread shows that it was blocked until then.
TEST(Missing, StateAtTheStart) {
  Story story(0);
  story.New(0, Kind::kSoftirqRaise, 0);
  story.Tell();
  Event& waking = story.New(30, Kind::kWaking, 1);
  waking.number[Wake::kTid] = 2;
  story.Tell();
  Event& first = story.New(50, Kind::kSwitch, 0);
  first.number[Switch::kPrevTid] = 1;
  first.number[Switch::kPrevState] = kReadyToRun;
  first.number[Switch::kNextTid] = 2;
  story.Tell();
  Engine& engine = story.Done();
  EXPECT_EQ(story.Text(ExplainThread(engine.timelines(), engine.spans(), 1, 0, 50)), "running 50");
  EXPECT_EQ(story.Text(ExplainThread(engine.timelines(), engine.spans(), 0, 0, 50)),
            "unknown 30 (waker not known); ready 20");
}

TEST(Missing, EventsOfTheProcessor) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Lost(60, 0, 20);
  story.Runs(80, 1, 0);
  story.Finish(100, 1, 1);
  EXPECT_EQ(story.Why(1), "running 20; unknown 60 (events were discarded); running 20");
  EXPECT_EQ(story.Done().counts().discarded, 7);
}

TEST(Missing, EventsOfAnotherProcessorDoNotMatterToOneThatRuns) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Lost(60, 1, 20);
  story.Finish(100, 1, 1);
  EXPECT_EQ(story.Why(1), "running 100");
}

// In the meantime, the thread may have been woken, may have run, and may have been blocked again.
TEST(Missing, EventsWhileBlocked) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Blocks(10, 1);
  story.Lost(40, 1, 30);
  story.Expires(60, 0, 1);
  story.Runs(60, 1, 0);
  story.Finish(100, 1, 1);
  EXPECT_EQ(story.Why(1), "running 10; unknown 30 (events were discarded); timer 20; running 40");
}

TEST(Missing, WakeUp) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Blocks(10, 1);
  story.Runs(60, 1, 0);
  story.Finish(100, 1, 1);
  EXPECT_EQ(story.Why(1), "running 10; unknown 50 (no wake-up recorded); running 40");
}

// An idle processor does not wake threads by itself, so the wait is not attributed to it.
TEST(Missing, ContextOfTheWakeUp) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Call(5, 1, "read");
  story.Blocks(10, 1);
  story.WakesFrom(40, 1, 1);
  story.Runs(40, 1, 0);
  story.Finish(50, 1, 1);
  EXPECT_EQ(story.Why(1),
            "running 5; running:read 5; unknown 30 (waker not known); running:read 10");
}

// The thread is woken after it has decided to block and before it leaves its processor.
TEST(Missing, TimeBetweenWakeUpAndBlocking) {
  Story story;
  story.Runs(0, 1, 0);
  story.Runs(0, 2, 1);
  story.Start(0, 1, 1);
  story.Wakes(9, 2, 1);
  story.Blocks(10, 1);
  story.Runs(15, 1, 0);
  story.Finish(20, 1, 1);
  EXPECT_EQ(story.Why(1), "running 10; ready 5; running 5");
}

TEST(Missing, ThreadWhoseIdIsUsedAgain) {
  Story story;
  story.Runs(0, 1, 0);
  story.Start(0, 1, 1);
  story.Ends(10, 1);
  story.Blocks(10, 1, 0, kEnds);
  story.Runs(20, 2, 1);
  story.Forks(30, 2, 1);
  story.Runs(30, 1, 0);
  story.Start(40, 1, 2);
  story.Finish(50, 1, 2);
  story.Finish(60, 2, 1);
  EXPECT_EQ(story.Why(2), "running 10");
  EXPECT_EQ(story.Done().spans()[story.IndexOf(1)].start_thread + 2,
            story.Done().spans()[story.IndexOf(2)].start_thread);
}

TEST(Missing, ClockThatGoesBack) {
  Story story;
  story.Runs(50, 1, 0);
  story.Start(60, 1, 1);
  story.Blocks(40, 1);
  story.Runs(70, 1, 0);
  story.Finish(80, 1, 1);
  EXPECT_EQ(story.Why(1), "unknown 10 (no wake-up recorded); running 10");
  EXPECT_EQ(story.Done().counts().backwards, 1u);
}

TEST(Missing, RoomForSegments) {
  Machine::Limits limits;
  limits.segments = 6;  // segments of the processor count as well
  Machine machine(limits);
  for (Time time = 1; time < 10; ++time) {
    Event event;
    event.kind = Kind::kSwitch;
    event.cycles = time;
    event.number[Switch::kPrevTid] = time % 2 == 0 ? 1 : 0;
    event.number[Switch::kNextTid] = time % 2 == 0 ? 0 : 1;
    event.number[Switch::kPrevState] = kSleeps;
    machine.Take(event);
  }
  const auto& segments = machine.timelines().threads[0].segments;
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments.back().state, State::kUnknown);
  EXPECT_EQ(static_cast<Reason>(segments.back().what), Reason::kLimit);
  EXPECT_GT(machine.counts().segments_refused, 0u);
}

// Thread 1 of a container is the kernel's thread 77.
TEST(Missing, NothingInAPidNamespace) {
  Story story;
  Event& state = story.New(0, Kind::kPidNamespace, 0);
  state.number[PidNamespace::kTid] = 77;
  state.number[PidNamespace::kVtid] = 1;
  state.number[PidNamespace::kNamespace] = 4711;
  story.Tell();
  story.Runs(0, 1, 1);  // the kernel's own thread 1
  story.Runs(10, 77, 0);
  for (const Kind kind : {Kind::kSpanStart, Kind::kSpanFinish}) {
    Event& event = story.OfSpan(kind == Kind::kSpanStart ? 20 : 50, kind, 1, 1);
    event.pid_namespace = 4711;
    story.Tell();
  }
  const SpanRecord& span = story.Done().spans()[0];
  EXPECT_EQ(story.Done().timelines().threads[span.start_thread].tid, 77);
  EXPECT_EQ(story.Why(1), "running 30");
}

}  // namespace
}  // namespace tracekin::analysis
