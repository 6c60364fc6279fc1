// SPDX-License-Identifier: Apache-2.0
// Tests adverse conditions of processes: they run out of descriptors, are interrupted at any
// instruction, and exit from a signal handler.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "tests/exporter/transport/fault_server.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

std::shared_ptr<Tracer> MakeTracerFor(const std::string& url) {
  Options options;
  options.service_name = "test";
  options.logger = [](LogLevel, const std::string&) {};
  options.exporter.endpoint = url;
  options.exporter.retry_backoff_ms = 1;
  options.exporter.retry_max_backoff_ms = 1;
  return MakeTracer(options);
}

/// While it lives, the process cannot open more descriptors than it has.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_EQ(open("/dev/null", O_RDONLY | O_CLOEXEC), -1);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

TEST(NoDescriptorsLeft, SpansWaitUntilThereAreSome) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  InFork([] {
    FaultServer collector([](FaultServer::Connection& c) { c.Answer("202 Accepted"); });
    const auto tracer = MakeTracerFor(collector.url());
    {
      const NoMoreDescriptors none;
      for (int i = 0; i < 1000; ++i) tracer->StartSpan("operation")->Finish();
      EXPECT_FALSE(tracer->Flush(std::chrono::seconds(10)));
      const Counters counters = tracer->counters();
      EXPECT_EQ(counters.queued + counters.in_flight, 1000U);
    }
    EXPECT_TRUE(Eventually([&] { return tracer->counters().exported == 1000; }));
    tracer->Close();
    EXPECT_TRUE(Conserved(tracer->counters(), 0));
  });
}

std::atomic<int> signals{0};
void CountSignal(int) { ++signals; }

TEST(Signals, DuringEveryCallDisturbNone) {
  struct sigaction action = {};
  action.sa_handler =
      CountSignal;  // without SA_RESTART, so that the library's system calls are interrupted
  struct sigaction before;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  std::atomic<bool> stop{false};
  const pthread_t target = pthread_self();
  std::thread sender([&] {
    while (!stop) {
      pthread_kill(target, SIGUSR1);
      std::this_thread::yield();
    }
  });
  std::uint64_t spans = 0;
  {
    const RecordingTracer tracer;
    const auto parent = tracer->StartSpan("parent");
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    for (; std::chrono::steady_clock::now() < end || signals < 1000; ++spans) {
      const auto span = tracer->StartSpan("operation", {opentracing::ChildOf(&parent->context())});
      span->SetTag("number", spans);
      span->SetBaggageItem("item", "value");
      span->Log({{"event", "one"}});
      if (spans % 500 == 0) tracer->Flush(std::chrono::seconds(10));
    }
    tracer->Close();
    EXPECT_TRUE(Conserved(tracer->counters(), 1));
    EXPECT_EQ(tracer->counters().exported, spans);
  }
  stop = true;
  sender.join();
  sigaction(SIGUSR1, &before, nullptr);
}

// POSIX does not allow exit() in a handler that interrupts the allocator, because exit handlers may
// need its locks. Therefore the interrupted loop must not reach the allocator: the span is full and
// has all the memory that it may use.
std::atomic<bool> in_span{false};
void ExitFromHandler(int) {
  if (in_span) std::exit(7);
}

TEST(ExitFromASignalHandler, EndsWithinTheTimeOfClose) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGALRM, ExitFromHandler);
      const auto tracer = MakeTracerFor("http://127.0.0.1:1/");
      const auto span = tracer->StartSpan("operation");
      for (int log = 0; log < 10'000; ++log) span->Log({{"event", "one"}});
      const itimerval often{{0, 100}, {0, 1000 + 37 * i}};
      setitimer(ITIMER_REAL, &often, nullptr);
      for (std::uint64_t number = 0;; ++number) {
        in_span = true;
        span->SetTag("number", number);
        span->Log({{"event", "one"}});
        in_span = false;
      }
    }
    const int status = AwaitChild(child);
    ASSERT_TRUE(WIFEXITED(status)) << "try " << i << ": " << status;
    ASSERT_EQ(WEXITSTATUS(status), 7);
  }
}

// The span ends during its thread's last moments, when the tracer's state for the thread may be
// gone.
TEST(ThreadEnd, SpansOfThreadLocalObjectsAreExported) {
  const RecordingTracer tracer;
  for (int i = 0; i < 100; ++i) {
    std::thread([&] {
      thread_local std::unique_ptr<opentracing::Span> early = tracer->StartSpan("early");
      tracer->StartSpan("used")->Finish();
      thread_local std::unique_ptr<opentracing::Span> late = tracer->StartSpan("late");
    }).join();
  }
  tracer->Close();
  EXPECT_EQ(tracer->counters().exported, 300U);
  EXPECT_TRUE(Conserved(tracer->counters(), 0));
}

}  // namespace
}  // namespace tracekin::testing
