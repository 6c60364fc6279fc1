// SPDX-License-Identifier: Apache-2.0
// Tests threads that are cancelled (pthread_cancel) during a call: the process continues, and the
// thread ends at one of its own cancellation points. Each test runs in a forked child, which aborts
// otherwise.

#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/spin_lock.h"
#include "integrations/blkin/process.h"
#include "tests/support/fork.h"
#include "tests/support/ledger_tracer.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/temp_folder.h"
#include "tracekin/scope.h"
#include "ust/loader.h"

namespace tracekin::testing {
namespace {

using Work = std::function<void()>;

/// Runs `work` on a thread that has already been cancelled, so it may end at any cancellation
/// point.
void CancelDuring(const Work& work) {
  struct Run {
    const Work& work;
    std::atomic<bool> cancelled{false};
    std::atomic<bool> done{false};
  } run{work};
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    auto* self = static_cast<Run*>(argument);
    while (!self->cancelled) {
    }
    self->work();
    self->done = true;
    for (;;) pause();  // a cancellation point
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, start, &run), 0);
  EXPECT_EQ(pthread_cancel(thread), 0);
  run.cancelled = true;
  void* result = nullptr;
  EXPECT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(run.done);
}

class Cancelled : public ::testing::Test {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK(); }
};

TEST_F(Cancelled, AThreadMaySpendItsSpansAndCountThem) {
  InFork([] {
    const RecordingTracer tracer;
    CancelDuring([&] {  // the first span in the process
      const auto span = tracer->StartSpan("a");
      const Scope scope(*span);
      span->SetTag("key", "value");
      span->SetBaggageItem("item", "value");
      span->Log({{"event", "one"}});
      const auto child = tracer->StartSpan("child", {opentracing::ChildOf(&span->context())});
      child->Finish();
    });
    EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
    EXPECT_EQ(tracer->counters().exported, 2u);
    EXPECT_TRUE(Conserved(tracer->counters(), 0));
  });
}

TEST_F(Cancelled, WhileItWaitsForASpansLock) {
  InFork([] {
    SpinLock lock;
    lock.lock();
    std::atomic<bool> waits{false};
    std::thread holder([&] {
      while (!waits) std::this_thread::yield();
      std::this_thread::sleep_for(
          std::chrono::milliseconds(20));  // until the thread sleeps, in all likelihood
      lock.unlock();
    });
    CancelDuring([&]() noexcept {
      waits = true;
      lock.lock();
    });
    holder.join();
  });
}

TEST_F(Cancelled, InFlush) {
  InFork([] {
    const RecordingTracer tracer;
    CancelDuring([&] {
      tracer->StartSpan("a");
      EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
    });
    EXPECT_EQ(tracer->counters().exported, 1u);
  });
}

TEST_F(Cancelled, InClose) {
  InFork([] {
    const RecordingTracer tracer;
    CancelDuring([&] {
      tracer->StartSpan("a");
      tracer->Close();
    });
    EXPECT_EQ(tracer->counters().exported, 1u);
  });
}

TEST_F(Cancelled, WhileItMakesAndDestroysATracer) {
  const TempFolder folder;
  InFork([&folder] {
    CancelDuring([&folder] {
      Options options;
      options.service_name = "test";
      options.print_configuration = true;  // to standard error
      options.exporter.path = folder.path() + "/spans";
      options.exporter.spool_path = folder.path();
      auto tracer = MakeTracer(options, nullptr);
      ASSERT_NE(tracer, nullptr);
      auto span = tracer->StartSpan("a");
      tracer.reset();
      span.reset();
    });
  });
}

TEST_F(Cancelled, WhileItForks) {
  InFork([] {
    const Ledger ledger;
    const auto tracer = ledger.MakeTracer();
    tracer->StartSpan("a");
    pid_t child = -1;
    CancelDuring([&] {
      child = fork();
      if (child != 0) return;
      tracer->StartSpan("child");
      _exit(tracer->Flush(RecordingTracer::kPatience) ? 0 : 1);
    });
    EXPECT_EQ(AwaitChild(child), 0);
  });
}

TEST_F(Cancelled, InBlkinInit) {
  const TempFolder folder;
  const std::string path = folder.path() + "/configuration";
  std::ofstream(path) << R"({"service_name":"test","exporter":{"path":")" << folder.path()
                      << R"(/spans"}})";
  InFork([&path] {
    setenv("TRACEKIN_CONFIG", path.c_str(), 1);
    CancelDuring([]() noexcept { EXPECT_EQ(blkin::Initialise(), 0); });
  });
}

// LTTng writes to a pipe when a buffer is full.
TEST_F(Cancelled, InAnEvent) {
  InFork([] {
    static const int listening = 1;
    static std::atomic<int> events{0};
    static tracekin_ust_recorder recorder = *ust::Recorder();
    for (const int** state : {&recorder.span_start_enabled, &recorder.span_finish_enabled,
                              &recorder.scope_enter_enabled, &recorder.scope_exit_enabled}) {
      *state = &listening;
    }
    for (const int*& state : recorder.span_log_enabled) state = &listening;
    const auto ids = [](const tracekin_ust_ids*) {
      ++events;
      pthread_testcancel();
    };
    const auto span = [](const tracekin_ust_span*) {
      ++events;
      pthread_testcancel();
    };
    recorder.span_start = recorder.span_finish = span;
    recorder.scope_enter = recorder.scope_exit = ids;
    recorder.span_log = [](tracekin_ust_level, const tracekin_ust_ids*, const char*) {
      ++events;
      pthread_testcancel();
    };
    ust::internal::recorder = &recorder;
    Options options;
    options.ust.enabled = true;
    const RecordingTracer tracer(options);
    CancelDuring([&] {
      const auto made = tracer->StartSpan("a");
      const Scope scope(*made);
      made->Log({{"event", "one"}});
      made->Finish();
    });
    EXPECT_EQ(events, 5);
  });
}

}  // namespace
}  // namespace tracekin::testing
