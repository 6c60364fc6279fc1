// SPDX-License-Identifier: Apache-2.0
// Tests that Flush and Close do their work, and return in time whatever the collector does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Answer = Collector::Answer;

constexpr seconds kSoon{5};  // much less than kForever; a loaded machine sometimes needs it
constexpr std::uint64_t kForever = 600'000;

Options Patient(std::uint64_t close_timeout_ms) {
  Options options;
  options.exporter.flush_interval_ms = 60'000;
  options.exporter.timeout_ms = kForever;
  options.exporter.close_timeout_ms = close_timeout_ms;
  return options;
}

TEST(Flush, SendsWhatHasFinishedWithoutWaitingForTheInterval) {
  RecordingTracer tracer(Patient(kForever));
  const auto open = tracer->StartSpan("open");
  tracer->StartSpan("a");
  const Stopwatch watch;
  EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  EXPECT_LT(watch.elapsed(), kSoon);
  EXPECT_EQ(tracer.collector().spans().size(), 1u);
  EXPECT_EQ(tracer->counters().queued, 0u);
  EXPECT_EQ(tracer->counters().open, 1u);
}

TEST(Flush, WithoutSpansReturnsAtOnce) {
  const RecordingTracer tracer;
  EXPECT_TRUE(tracer->Flush(milliseconds(0)));
  EXPECT_TRUE(tracer->Flush(milliseconds(-1)));
  EXPECT_TRUE(tracer->Flush(milliseconds::max()));
}

TEST(Flush, TakesAnyTimeout) {
  RecordingTracer tracer;
  for (const milliseconds timeout : {milliseconds::max(), milliseconds(std::chrono::hours(24))}) {
    tracer->StartSpan("a");
    EXPECT_TRUE(tracer->Flush(timeout));
  }
  tracer->StartSpan("b");
  tracer->Flush(milliseconds::min());
  EXPECT_EQ(tracer.Spans().size(), 3u);
}

TEST(Flush, GivesUpAfterItsTimeout) {
  RecordingTracer tracer(Patient(0));
  tracer.collector().set_answer(Answer::kHang);
  tracer->StartSpan("a");
  const Stopwatch watch;
  EXPECT_FALSE(tracer->Flush(milliseconds(20)));
  EXPECT_GE(watch.elapsed(), milliseconds(20));
  EXPECT_LT(watch.elapsed(), kSoon);
  EXPECT_EQ(tracer->counters().in_flight, 1u);
}

TEST(Flush, HasTriedEvenIfTheCollectorRefuses) {
  RecordingTracer tracer;
  tracer.collector().set_answer(Answer::kReject);
  tracer->StartSpan("a");
  EXPECT_TRUE(tracer->Flush(RecordingTracer::kPatience));
  EXPECT_EQ(tracer->counters().dropped.rejected, 1u);
}

TEST(Flush, OfManyThreadsAtOnce) {
  RecordingTracer tracer;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&tracer] {
      for (int j = 0; j < 20; ++j) {
        tracer->StartSpan("a");
        tracer->Flush(RecordingTracer::kPatience);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tracer.Spans().size(), 160u);
}

TEST(Exporter, SendsAfterTheFlushIntervalByItself) {
  Options options;
  options.exporter.flush_interval_ms = 1;
  RecordingTracer tracer(options);
  tracer->StartSpan("a");
  EXPECT_TRUE(Eventually([&] { return !tracer.collector().spans().empty(); }));
}

TEST(Exporter, KeepsItsBatchesWithinTheirBound) {
  Options options = Patient(kForever);
  options.exporter.batch_spans = 7;
  RecordingTracer tracer(options);
  for (int i = 0; i < 100; ++i) tracer->StartSpan("a");
  EXPECT_EQ(tracer.Spans().size(), 100u);
  for (const std::size_t spans : tracer.collector().batches()) EXPECT_LE(spans, 7u);
}

/// Returns the line `name` from the exporter thread's file `status` in /proc, without the name, or
/// "" if there is no such thread.
std::string StatusOfExporterThread(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "status");
    bool is_it = false;
    for (std::string line; std::getline(file, line);) {
      if (line == "Name:\ttracekin") is_it = true;
      if (is_it && line.compare(0, name.size(), name) == 0) return line.substr(name.size());
    }
  }
  return "";
}

TEST(Exporter, LeavesSignalsToTheHostsThreads) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  RecordingTracer tracer;
  tracer->StartSpan("a");
  EXPECT_EQ(tracer.Spans().size(), 1u);
  const std::uint64_t blocked = std::stoull(StatusOfExporterThread("SigBlk:"), nullptr, 16);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD, SIGALRM, SIGUSR1, SIGPIPE, SIGXFSZ, SIGPROF}) {
    EXPECT_NE(blocked >> (signal - 1) & 1, 0u) << strsignal(signal);
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(Close, SendsWhatIsLeft) {
  RecordingTracer tracer(Patient(kForever));
  for (int i = 0; i < 5000; ++i) tracer->StartSpan("a");
  const Stopwatch watch;
  tracer->Close();
  EXPECT_LT(watch.elapsed(), RecordingTracer::kPatience);
  EXPECT_EQ(tracer.collector().spans().size(), 5000u);
  EXPECT_EQ(tracer->counters().exported, 5000u);
}

TEST(Close, EndsTheExportersThreads) {
  const std::size_t before = ThreadCount();
  RecordingTracer tracer;
  EXPECT_EQ(ThreadCount(), before + 2);
  tracer->Close();
  EXPECT_TRUE(Eventually([&] { return ThreadCount() == before; }));
}

TEST(Close, AgainOrWithoutSpansDoesNothing) {
  RecordingTracer tracer;
  tracer->Close();
  tracer->Close();
  EXPECT_TRUE(tracer->Flush(milliseconds(0)));
  tracer->StartSpan("late");
  tracer->Close();
  EXPECT_TRUE(tracer->Flush(milliseconds(0)));
  EXPECT_EQ(tracer->counters().dropped.closed, 1u);
  EXPECT_TRUE(tracer.collector().batches().empty());
}

TEST(Close, CountsSpansThatFinishLater) {
  RecordingTracer tracer;
  const auto open = tracer->StartSpan("open");
  tracer->StartSpan("a");
  tracer->Close();
  open->Finish();
  const auto late = tracer->StartSpan("late");
  ASSERT_NE(late, nullptr);
  EXPECT_NE(late->context().ToSpanID(), "");
  late->Finish();
  const Counters counters = tracer->counters();
  EXPECT_EQ(counters.exported, 1u);
  EXPECT_EQ(counters.dropped.closed, 2u);
  EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
}

TEST(Close, InterruptsACollectorThatHangs) {
  for (const std::uint64_t timeout_ms : {0, 30}) {
    Options options = Patient(timeout_ms);
    options.exporter.batch_spans = 10;
    RecordingTracer tracer(options);
    tracer.collector().set_answer(Answer::kHang);
    for (int i = 0; i < 100; ++i) tracer->StartSpan("a");
    tracer->Flush(milliseconds(1));  // a request has been sent, or will be soon
    const Stopwatch watch;
    tracer->Close();
    EXPECT_LT(watch.elapsed(), kSoon);
    const Counters counters = tracer->counters();
    EXPECT_EQ(counters.dropped.closed, 100u);
    EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
  }
}

TEST(Close, ReturnsThoughADiskIsStuck) {
  RecordingTracer tracer(Patient(20));
  tracer.collector().set_answer(Answer::kStuck);
  tracer->StartSpan("a");
  tracer->Flush(milliseconds(1));
  const Stopwatch watch;
  tracer->Close();
  EXPECT_LT(watch.elapsed(), kSoon);
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
  EXPECT_THAT(
      tracer.log().lines(),
      ElementsAre("the sender is still busy after exporter.close_timeout_ms and may lose up to "
                  "1 span"));
  tracer.Release();  // closes again
  EXPECT_EQ(tracer.log().lines().size(), 1u);
  EXPECT_LT(watch.elapsed(), kSoon);
  EXPECT_FALSE(tracer.Destroyed());  // the thread still needs its exporter
  tracer.collector().set_answer(Answer::kAccept);
  EXPECT_TRUE(Eventually([&] { return tracer.Destroyed(); }));
  EXPECT_EQ(tracer.collector().spans().size(), 1u);
}

TEST(Tracer, MayBeUsedOnItsExporterThread) {
  RecordingTracer tracer(Patient(20));
  std::atomic<bool> used{false};
  tracer.collector().set_on_send([&] {
    if (used) return;
    tracer->StartSpan("b");
    EXPECT_FALSE(tracer->Flush(milliseconds(1)));
    EXPECT_TRUE(Conserved(tracer->counters(), 0));
    tracer->Close();
    used = true;
  });
  tracer->StartSpan("a");
  tracer->Flush(RecordingTracer::kPatience);
  EXPECT_TRUE(Eventually([&] { return used && tracer->counters().queued == 0; }));
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

// In jaeger-client-cpp, threads wait for the sender.
TEST(Finish, DoesNotWaitForASendThatIsUnderWay) {
  Options options = Patient(0);
  options.exporter.queue_spans = 64;
  RecordingTracer tracer(options);
  tracer.collector().set_answer(Answer::kStuck);
  tracer->StartSpan("first");
  tracer->Flush(milliseconds(0));
  tracer.collector().AwaitBatches(1);
  for (int i = 0; i < 10'000; ++i) tracer->StartSpan("more");
  const Counters counters = tracer->counters();
  EXPECT_EQ(counters.started, 10'001u);
  EXPECT_LE(counters.queued, 1u + 64u);
  EXPECT_EQ(counters.dropped.queue_full, 10'001 - counters.queued - counters.in_flight);
  tracer.collector().set_answer(Answer::kAccept);
}

TEST(Close, OfManyThreadsAtOnceWhileSpansFinish) {
  RecordingTracer tracer;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&tracer] {
      for (int j = 0; j < 2000; ++j) tracer->StartSpan("a");
    });
    threads.emplace_back([&tracer] { tracer->Close(); });
  }
  for (std::thread& thread : threads) thread.join();
  const Counters counters = tracer->counters();
  EXPECT_TRUE(Conserved(counters, 0)) << ::testing::PrintToString(counters);
  EXPECT_EQ(counters.queued, 0u);
  EXPECT_EQ(counters.exported, tracer.collector().spans().size());
}

/// A logger that blocks until it is released.
class HangingLogger {
 public:
  void operator()() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++calls_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return gone_; });
  }
  void AwaitCall() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return calls_ != 0; });
  }
  void LetGo() {
    const std::lock_guard<std::mutex> lock(mutex_);
    gone_ = true;
    changed_.notify_all();
  }
  int calls() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int calls_ = 0;
  bool gone_ = false;
};

TEST(Close, DoesNotFollowTheExportersThreadIntoALoggerThatHangs) {
  const auto logger = std::make_shared<HangingLogger>();
  const std::size_t threads = ThreadCount();
  Options options = Patient(100);
  options.service_name = "test";
  options.exporter.flush_interval_ms = 1;
  options.exporter.endpoint = "http://127.0.0.1:1/";  // no server listens there
  options.logger = [logger](LogLevel, const std::string&) { (*logger)(); };
  const auto tracer = MakeTracer(options, nullptr);
  ASSERT_NE(tracer, nullptr);
  tracer->StartSpan("a");
  logger->AwaitCall();  // reports that spans cannot be sent
  tracer->Close();
  EXPECT_EQ(logger->calls(), 1);
  logger->LetGo();
  EXPECT_TRUE(Eventually([threads] { return ThreadCount() == threads; }));
}

}  // namespace
}  // namespace tracekin::testing
