// SPDX-License-Identifier: Apache-2.0
#include "tracekin/scope.h"

#include <gtest/gtest.h>
#include <opentracing/noop.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

class ScopeTest : public ::testing::Test {
 protected:
  RecordingTracer tracer_;
  const std::unique_ptr<opentracing::Span> a_ = tracer_->StartSpan("a");
  const std::unique_ptr<opentracing::Span> b_ = tracer_->StartSpan("b");
  const std::unique_ptr<opentracing::Span> c_ = tracer_->StartSpan("c");
};

TEST_F(ScopeTest, ThereIsNoActiveSpanAtFirst) { EXPECT_EQ(ActiveSpan(), nullptr); }

TEST_F(ScopeTest, NestsAndRestores) {
  {
    const Scope outer(*a_);
    EXPECT_EQ(ActiveSpan(), a_.get());
    {
      const Scope inner(*b_);
      EXPECT_EQ(ActiveSpan(), b_.get());
      const Scope same_again(*a_);
      EXPECT_EQ(ActiveSpan(), a_.get());
    }
    EXPECT_EQ(ActiveSpan(), a_.get());
  }
  EXPECT_EQ(ActiveSpan(), nullptr);
}

TEST_F(ScopeTest, EndsInAnyOrder) {
  const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  opentracing::Span* const spans[] = {a_.get(), b_.get(), c_.get()};
  for (const auto& order : orders) {
    std::optional<Scope> scopes[3];
    for (int i = 0; i < 3; ++i) scopes[i].emplace(*spans[i]);
    for (const int ended : order) {
      scopes[ended].reset();
      opentracing::Span* innermost = nullptr;
      for (int i = 0; i < 3; ++i) {
        if (scopes[i]) innermost = spans[i];
      }
      EXPECT_EQ(ActiveSpan(), innermost);
    }
  }
}

TEST_F(ScopeTest, IsOfItsThread) {
  const Scope scope(*a_);
  std::thread([this] {
    EXPECT_EQ(ActiveSpan(), nullptr);
    const Scope other(*b_);
    EXPECT_EQ(ActiveSpan(), b_.get());
  }).join();
  EXPECT_EQ(ActiveSpan(), a_.get());
}

TEST_F(ScopeTest, MayEndOnAnotherThreadAndIsCounted) {
  auto outer = std::make_unique<Scope>(*a_);
  auto inner = std::make_unique<Scope>(*b_);
  const Scope innermost(*c_);
  std::thread([&] {
    const Scope own(*a_);
    inner.reset();
    EXPECT_EQ(ActiveSpan(), a_.get());
    outer.reset();
  }).join();
  EXPECT_EQ(ActiveSpan(), c_.get());
  EXPECT_EQ(tracer_->counters().misplaced_scopes, 2u);
}

TEST_F(ScopeTest, ThatEndedElsewhereIsActiveNoLonger) {
  auto outer = std::make_unique<Scope>(*a_);
  auto inner = std::make_unique<Scope>(*b_);
  std::thread([&inner] { inner.reset(); }).join();
  EXPECT_EQ(ActiveSpan(), a_.get());
  std::thread([&outer] { outer.reset(); }).join();
  const Scope next(*c_);
  EXPECT_EQ(ActiveSpan(), c_.get());
}

// A coroutine may be repeatedly suspended on one thread of a pool and resumed on another.
TEST_F(ScopeTest, MayHopBetweenThreads) {
  std::atomic<Scope*> handed_over{nullptr};
  constexpr int kHops = 1000;
  const auto work = [&] {
    for (int i = 0; i < kHops; ++i) {
      delete handed_over.exchange(new Scope(*a_));
      const opentracing::Span* active = ActiveSpan();  // the other thread may end it at any time
      EXPECT_TRUE(active == nullptr || active == a_.get());
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  delete handed_over.load();
  EXPECT_LE(tracer_->counters().misplaced_scopes, 2u * kHops);
}

TEST_F(ScopeTest, OutlivesItsThread) {
  std::unique_ptr<Scope> scope;
  std::thread([&] { scope = std::make_unique<Scope>(*a_); }).join();
  scope.reset();
  EXPECT_EQ(ActiveSpan(), nullptr);
  EXPECT_EQ(tracer_->counters().misplaced_scopes, 1u);
}

TEST_F(ScopeTest, OneSpanMayBeActiveOnManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this] {
      for (int j = 0; j < 100; ++j) {
        const Scope scope(*a_);
        EXPECT_EQ(ActiveSpan(), a_.get());
      }
      EXPECT_EQ(ActiveSpan(), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ScopeTest, TakesSpansOfOtherTracers) {
  const auto foreign = opentracing::MakeNoopTracer()->StartSpan("foreign");
  const Scope scope(*foreign);
  EXPECT_EQ(ActiveSpan(), foreign.get());
}

TEST_F(ScopeTest, StaysWhenItsSpanFinishesOrIsNotSampled) {
  a_->SetTag("sampling.priority", 0);
  const Scope scope(*a_);
  a_->Finish();
  EXPECT_EQ(ActiveSpan(), a_.get());
}

TEST_F(ScopeTest, IsNoParentByItself) {
  const Scope scope(*a_);
  EXPECT_NE(tracer_->StartSpan("d")->context().ToTraceID(), a_->context().ToTraceID());
  const auto child = tracer_->StartSpan("e", {opentracing::ChildOf(&ActiveSpan()->context())});
  EXPECT_EQ(child->context().ToTraceID(), a_->context().ToTraceID());
}

}  // namespace
}  // namespace tracekin::testing
