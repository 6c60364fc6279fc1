// SPDX-License-Identifier: Apache-2.0
// Tests fork() while other threads are in the middle of all kinds of work. A child that inherits a
// locked mutex hangs, and is killed and reported.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/support/background.h"
#include "tests/support/fork.h"
#include "tests/support/ledger_tracer.h"
#include "tests/support/recording_tracer.h"

namespace tracekin::testing {
namespace {

constexpr int kForks = 40;
constexpr std::size_t kSpansOfAChild = 50;
constexpr std::chrono::seconds kPatience = RecordingTracer::kPatience;

class ForkUnderLoad : public ::testing::Test {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_MEMORY_AFTER_FORK(); }
};

void MakeSpans(const Tracer& tracer, const char* name, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto span = tracer.StartSpan(name);
    span->SetTag("key", "value");
    span->SetBaggageItem("key", "value");
    span->Log({{"event", "x"}});
  }
}

TEST_F(ForkUnderLoad, LosesAndRepeatsNoSpan) {
  const Ledger ledger;
  Options options;
  options.exporter.queue_spans = 1 << 20;
  options.exporter.queue_bytes = 1 << 28;
  options.exporter.flush_interval_ms = 1;
  const auto tracer = ledger.MakeTracer(options);
  Background load;
  for (int i = 0; i < 3; ++i) {
    load.Repeat([&tracer] {
      MakeSpans(*tracer, "parent", 20);
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // leaves others a processor
    });
  }
  std::vector<pid_t> children;
  for (int i = 0; i < kForks && !::testing::Test::HasFailure(); ++i) {
    children.push_back(InFork([&] {
      MakeSpans(*tracer, "child", kSpansOfAChild);
      EXPECT_TRUE(tracer->Flush(kPatience));
      EXPECT_EQ(tracer->counters().exported, kSpansOfAChild);
      tracer->Close();
    }));
  }
  load.Stop();
  tracer->Close();

  const Counters counters = tracer->counters();
  EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
  EXPECT_EQ(counters.exported, counters.started);
  EXPECT_EQ(ledger.Of(getpid()).size(), counters.started);
  for (const pid_t child : children) EXPECT_EQ(ledger.Of(child).size(), kSpansOfAChild);
  std::vector<std::uint64_t> ids;
  for (const Ledger::Line& line : ledger.lines()) ids.push_back(line.span_id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST_F(ForkUnderLoad, WhileTracersComeAndGo) {
  const Ledger ledger;
  const auto lasting = ledger.MakeTracer();
  Background load;
  for (int i = 0; i < 2; ++i) {
    load.Repeat([&ledger] {
      auto tracer = ledger.MakeTracer();
      auto span = tracer->StartSpan("short-lived");
      tracer.reset();
      span.reset();
    });
  }
  for (int i = 0; i < kForks && !::testing::Test::HasFailure(); ++i) {
    const pid_t child = InFork([&] {
      auto own = ledger.MakeTracer();
      auto span = own->StartSpan("child");
      auto outliving = own->StartSpan("unsampled", {opentracing::SetTag{"sampling.priority", 0}});
      span->Finish();
      lasting->StartSpan("child");
      own.reset();
      outliving.reset();
      lasting->Close();
    });
    EXPECT_EQ(ledger.Of(child).size(), 2u);
  }
}

TEST_F(ForkUnderLoad, WhileAClosedTracerIsReadAndUsed) {
  const Ledger ledger;
  const auto tracer = ledger.MakeTracer();
  MakeSpans(*tracer, "parent", 10);
  tracer->Close();
  Background load;
  load.Repeat([&tracer] { tracer->counters(); });
  load.Repeat([&tracer] {
    tracer->StartSpan("late");
    tracer->Close();
    tracer->Flush(std::chrono::milliseconds(0));
  });
  for (int i = 0; i < kForks && !::testing::Test::HasFailure(); ++i) {
    InFork([&] {
      tracer->StartSpan("late");
      tracer->Close();
      EXPECT_GE(tracer->counters().dropped.closed, 1u);
    });
  }
}

TEST_F(ForkUnderLoad, WhileTheExporterStartsAndOthersFlush) {
  const Ledger ledger;
  for (int i = 0; i < kForks && !::testing::Test::HasFailure(); ++i) {
    const auto tracer = ledger.MakeTracer();
    Background load;
    load.Repeat([&tracer] {
      MakeSpans(*tracer, "parent", 1);  // the first span starts the exporter's thread
      tracer->Flush(std::chrono::milliseconds(1));
    });
    const pid_t child = InFork([&] {
      MakeSpans(*tracer, "child", 1);
      tracer->Close();
    });
    EXPECT_EQ(ledger.Of(child).size(), 1u);
  }
}

TEST_F(ForkUnderLoad, FromAnotherThreadThanMain) {
  const Ledger ledger;
  const auto tracer = ledger.MakeTracer();
  MakeSpans(*tracer, "parent", 1);
  Background load;
  load.Repeat([&tracer] { MakeSpans(*tracer, "parent", 1); });
  pid_t child = 0;
  std::thread([&] {
    child = InFork([&] {
      MakeSpans(*tracer, "child", 10);
      EXPECT_TRUE(tracer->Flush(kPatience));
    });
  }).join();
  EXPECT_EQ(ledger.Of(child).size(), 10u);
}

}  // namespace
}  // namespace tracekin::testing
