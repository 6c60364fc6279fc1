// SPDX-License-Identifier: Apache-2.0
// Tests fork(): parent and child continue, each exports its own spans, and no span is exported
// twice.

#include <gtest/gtest.h>
#include <spawn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fork.h"
#include "tests/support/ledger_tracer.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"
#include "tracekin/scope.h"

namespace tracekin::testing {
namespace {

using opentracing::ChildOf;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kPatience = RecordingTracer::kPatience;

class Fork : public ::testing::Test {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK(); }

  static Options SlowFlush() {
    Options options;
    options.exporter.flush_interval_ms = 60'000;
    return options;
  }

  void Make(const std::string& name, int count = 1) const {
    for (int i = 0; i < count; ++i) tracer_->StartSpan(name);
  }

  /// Returns the names of the spans that `pid` exported, in order.
  std::vector<std::string> NamesOf(pid_t pid) const {
    std::vector<std::string> names;
    for (const Ledger::Line& line : ledger_.Of(pid)) names.push_back(line.name);
    return names;
  }

  void ExpectNoSpanTwice() const {
    std::vector<std::uint64_t> ids;
    for (const Ledger::Line& line : ledger_.lines()) ids.push_back(line.span_id);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  }

  Ledger ledger_;
  std::shared_ptr<Tracer> tracer_ = ledger_.MakeTracer(SlowFlush());
};

using Names = std::vector<std::string>;

TEST_F(Fork, EachExportsItsOwnSpans) {
  Make("before");
  EXPECT_TRUE(tracer_->Flush(kPatience));
  Make("queued");  // queued in memory at the fork
  const pid_t child = InFork([this] {
    EXPECT_EQ(tracer_->counters().started, 0u);
    Make("child");
    EXPECT_TRUE(tracer_->Flush(kPatience));
    EXPECT_EQ(tracer_->counters().exported, 1u);
    EXPECT_TRUE(Conserved(tracer_->counters(), 0));
  });
  Make("parent");
  EXPECT_TRUE(tracer_->Flush(kPatience));
  EXPECT_EQ(tracer_->counters().exported, 3u);
  EXPECT_EQ(NamesOf(getpid()), (Names{"before", "queued", "parent"}));
  EXPECT_EQ(NamesOf(child), Names{"child"});
}

// The first span starts the exporter's threads.
TEST_F(Fork, BeforeTheFirstSpan) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  const pid_t child = InFork([this] {
    Make("child");
    tracer_->Close();
  });
  Make("parent");
  tracer_->Close();
  EXPECT_EQ(NamesOf(getpid()), Names{"parent"});
  EXPECT_EQ(NamesOf(child), Names{"child"});
}

TEST_F(Fork, SpansOpenAtItAreTheParents) {
  auto sampled = tracer_->StartSpan("sampled");
  auto unsampled = tracer_->StartSpan("unsampled");
  unsampled->SetTag("sampling.priority", 0);
  auto finished = tracer_->StartSpan("finished");
  finished->Finish();
  const pid_t child = InFork([&] {
    EXPECT_EQ(tracer_->counters().started, 2u);
    EXPECT_TRUE(Conserved(tracer_->counters(), 2));
    sampled->SetTag("in", "child");
    sampled->Finish();
    unsampled.reset();
    finished.reset();
    EXPECT_EQ(tracer_->counters().dropped.fork, 2u);
    EXPECT_TRUE(Conserved(tracer_->counters(), 0));
    Make("child");
    EXPECT_TRUE(tracer_->Flush(kPatience));
  });
  sampled->Finish();
  unsampled->Finish();
  EXPECT_TRUE(tracer_->Flush(kPatience));
  EXPECT_EQ(tracer_->counters().dropped.fork, 0u);
  EXPECT_EQ(NamesOf(getpid()), (Names{"finished", "sampled"}));
  EXPECT_EQ(NamesOf(child), Names{"child"});
}

TEST_F(Fork, SpansOfTheChildAreNotTheGrandchilds) {
  InFork([this] {
    auto span = tracer_->StartSpan("child");
    InFork([&] {
      auto own = tracer_->StartSpan("grandchild");
      span.reset();
      own.reset();
      EXPECT_TRUE(tracer_->Flush(kPatience));
      EXPECT_EQ(tracer_->counters().dropped.fork, 1u);
      EXPECT_EQ(tracer_->counters().exported, 1u);
      EXPECT_TRUE(Conserved(tracer_->counters(), 0));
    });
    span.reset();
    EXPECT_TRUE(tracer_->Flush(kPatience));
    EXPECT_EQ(tracer_->counters().dropped.fork, 0u);
  });
  EXPECT_EQ(ledger_.lines().size(), 2u);
}

TEST_F(Fork, AParentsSpanMayHaveChildrenInTheChild) {
  const auto span = tracer_->StartSpan("parent");
  const Scope scope(*span);
  const pid_t child = InFork([&] {
    EXPECT_EQ(ActiveSpan(), span.get());
    tracer_->StartSpan("child", {ChildOf(&ActiveSpan()->context())});
    EXPECT_TRUE(tracer_->Flush(kPatience));
  });
  span->Finish();
  EXPECT_TRUE(tracer_->Flush(kPatience));
  const auto parents = ledger_.Of(getpid());
  const auto children = ledger_.Of(child);
  ASSERT_EQ(parents.size(), 1u);
  ASSERT_EQ(children.size(), 1u);
  EXPECT_EQ(children[0].parent_span_id, parents[0].span_id);
  EXPECT_EQ(children[0].trace_id_low, parents[0].trace_id_low);
}

// In nginx-opentracing, all workers of nginx had the same ids (issue 52).
TEST_F(Fork, IdsOfParentChildrenAndGrandchildrenAreDisjoint) {
  TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK();
  constexpr int kSpans = 500;
  Make("before", kSpans);
  for (int i = 0; i < 4; ++i) {
    InFork([this] {
      InFork([this] {
        Make("grandchild", kSpans);
        tracer_->Close();
      });
      Make("child", kSpans);
      tracer_->Close();
    });
    Make("parent", kSpans);
  }
  tracer_->Close();
  EXPECT_EQ(ledger_.lines().size(), kSpans * (1u + 4u * 3u));
  ExpectNoSpanTwice();
}

TEST_F(Fork, IdsOfOtherThreadsOfTheChildAreItsOwn) {
  constexpr int kSpans = 500;
  std::thread([this] { Make("before", kSpans); }).join();
  InFork([this] {
    std::thread([this] { Make("child", kSpans); }).join();
    tracer_->Close();
  });
  std::thread([this] { Make("parent", kSpans); }).join();
  tracer_->Close();
  EXPECT_EQ(ledger_.lines().size(), 3u * kSpans);
  ExpectNoSpanTwice();
}

TEST_F(Fork, ChildKnowsItsOwnThreadId) {
  EXPECT_EQ(ThreadId(), getpid());
  InFork([] { EXPECT_EQ(ThreadId(), getpid()); });
  EXPECT_EQ(ThreadId(), getpid());
}

TEST_F(Fork, ChildMayEndWithoutAWord) {
  Make("before");
  const auto span = tracer_->StartSpan("open");
  InFork([] {});
  InFork([this] { Make("lost"); });  // _exit() does not close the tracer
  tracer_->Close();
  EXPECT_EQ(ledger_.lines().size(), 1u);
}

TEST_F(Fork, ChildMayDestroyTheTracer) {
  Make("before");
  auto span = tracer_->StartSpan("open");
  const pid_t child = InFork([&] {
    Make("child");
    tracer_.reset();
    span.reset();
  });
  span->Finish();
  tracer_.reset();
  EXPECT_EQ(NamesOf(child), Names{"child"});
  EXPECT_EQ(NamesOf(getpid()), (Names{"before", "open"}));
}

TEST_F(Fork, OfAClosedTracer) {
  Make("before");
  auto span = tracer_->StartSpan("open");
  tracer_->Close();
  InFork([&] {
    span.reset();
    Make("late");
    tracer_->Close();
    const Counters counters = tracer_->counters();
    EXPECT_EQ(counters.dropped.fork, 1u);
    EXPECT_EQ(counters.dropped.closed, 1u);
    EXPECT_TRUE(Conserved(counters, 0));
  });
  EXPECT_EQ(tracer_->counters().dropped.closed, 0u);
}

TEST_F(Fork, WithASpanThatOutlivedItsTracer) {
  RecordingTracer tracer;
  auto span = tracer->StartSpan("open");
  tracer.Release();
  InFork([&] {
    span.reset();
    EXPECT_TRUE(tracer.Destroyed());
  });
  EXPECT_FALSE(tracer.Destroyed());
  span.reset();
  EXPECT_TRUE(tracer.Destroyed());
}

TEST_F(Fork, TracerOfTheChildIsDestroyedWithItsLastSpan) {
  RecordingTracer tracer;
  auto open = tracer->StartSpan("open");
  auto finished = tracer->StartSpan("unsampled");
  finished->SetTag("sampling.priority", 0);
  finished->Finish();
  InFork([&] {
    auto own = tracer->StartSpan("own");
    tracer.Release();
    open.reset();
    finished.reset();
    EXPECT_FALSE(tracer.TracerDestroyed());
    own.reset();
    EXPECT_TRUE(tracer.TracerDestroyed());  // the parent's thread still uses the exporter
  });
}

TEST_F(Fork, ChildOfAParentThatExits) {
  const pid_t gone = InFork([this] {
    Make("first");
    // A daemon: the grandchild continues.
    InFork([this] {
      Make("second");
      tracer_->Close();
    });
  });
  EXPECT_TRUE(NamesOf(gone).empty());
  ASSERT_EQ(ledger_.lines().size(), 1u);
  EXPECT_EQ(ledger_.lines()[0].name, "second");
}

TEST_F(Fork, ExecAndSpawnNeedNothing) {
  Make("before");
  const auto span = tracer_->StartSpan("open");
  InFork([] { execl("/bin/true", "true", nullptr); });
  pid_t spawned = 0;
  char name[] = "true";
  char* const arguments[] = {name, nullptr};
  ASSERT_EQ(posix_spawn(&spawned, "/bin/true", nullptr, nullptr, arguments, nullptr), 0);
  EXPECT_EQ(AwaitChild(spawned), 0);
  span->Finish();
  tracer_->Close();
  EXPECT_EQ(NamesOf(getpid()), (Names{"before", "open"}));
}

TEST_F(Fork, ChildIsToldOfItsDropsOnly) {
  Options options;
  options.exporter.queue_spans = 64;
  options.exporter.flush_interval_ms = 60'000;
  const RecordingTracer tracer(options);
  InFork([&] {
    for (int i = 0; i < 1000; ++i) tracer->StartSpan("a", {opentracing::SetTag{"k", 1}});
    EXPECT_TRUE(tracer->Flush(kPatience));
    EXPECT_TRUE(Conserved(tracer->counters(), 0));
    EXPECT_EQ(tracer->counters().started, 1000u);
  });
  EXPECT_EQ(tracer->counters().started, 0u);
}

}  // namespace
}  // namespace tracekin::testing
