// SPDX-License-Identifier: Apache-2.0
// Tests the limits that docs/reliability.md lists: harm that tracekin cannot prevent. Each test
// demonstrates one limit and checks that its effects do not go further.
//
// This file replaces the functions of the C library that must hang or fail in these tests.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <opentracing/tracer.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "base/standard_error.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tracekin/scope.h"
#include "tracekin/tracer.h"

namespace {

/// While the gate is closed, Pass() blocks the threads that call it.
class Gate {
 public:
  void Close() { closed_ = true; }
  void Open() { closed_ = false; }
  void Pass() {
    if (!closed_) return;
    ++waiting_;
    while (closed_) usleep(1000);
    --waiting_;
  }
  bool HoldsSomebody() const { return waiting_ != 0; }

 private:
  std::atomic<bool> closed_{false};
  std::atomic<int> waiting_{0};
};

Gate disk;    // blocks access to files whose path contains "hanging", and to standard error
Gate unlock;  // blocks the unlocking of mutexes on threads that set `holds_mutexes`
thread_local bool holds_mutexes = false;
std::atomic<bool> no_thread_values{false};
std::atomic<void*> last_node{nullptr};  // the last result of the nothrow operator new
std::atomic<bool> node_is_freed{false};

template <class Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define TRACEKIN_HOOK extern "C" __attribute__((visibility("default")))

TRACEKIN_HOOK int unlink(const char* path) noexcept {
  static const auto real = Real<int (*)(const char*)>("unlink");
  if (std::strstr(path, "hanging") != nullptr) disk.Pass();
  return real(path);
}

TRACEKIN_HOOK ssize_t write(int descriptor, const void* data, std::size_t size) {
  static const auto real = Real<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (descriptor == STDERR_FILENO) disk.Pass();
  return real(descriptor, data, size);
}

TRACEKIN_HOOK int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto real = Real<int (*)(pthread_mutex_t*)>("pthread_mutex_unlock");
  if (holds_mutexes) unlock.Pass();
  return real(mutex);
}

TRACEKIN_HOOK int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  static const auto real = Real<int (*)(pthread_key_t, const void*)>("pthread_setspecific");
  return no_thread_values ? ENOMEM : real(key, value);
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(size);
  last_node = memory;
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory != nullptr && memory == last_node) node_is_freed = true;
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace tracekin::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(HangingDiskLimit, UnderTheMetricsFileStopsTheExporterAndNotTheHost) {
  const TempFolder folder;
  Options options;
  options.service_name = "limits";
  options.exporter.path = folder.path() + "/spans";
  options.exporter.metrics_path = folder.path() + "/hanging.prom";
  options.exporter.close_timeout_ms = 100;
  options.logger = [](LogLevel, const std::string&) {};
  disk.Close();
  const auto tracer = MakeTracer(options);
  ASSERT_NE(tracer, nullptr);
  ASSERT_TRUE(Eventually([] { return disk.HoldsSomebody(); }));
  for (int i = 0; i < 100; ++i) tracer->StartSpan("a")->Finish();
  EXPECT_FALSE(tracer->Flush(milliseconds(50)));
  tracer->Close();
  EXPECT_TRUE(disk.HoldsSomebody()) << "Close() has waited for the disk";
  EXPECT_EQ(tracer->counters().exported, 0u);
  disk.Open();
  EXPECT_TRUE(Eventually([&] { return Conserved(tracer->counters(), 0); }));
}

TEST(HangingDiskLimit, UnderStandardErrorHoldsTheThreadThatWritesALine) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const TempFolder folder;
  InFork([&] {
    const int file = open((folder.path() + "/log").c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_EQ(dup2(file, STDERR_FILENO), STDERR_FILENO);
    disk.Close();
    std::atomic<bool> done{false};
    std::thread writer([&] {
      SayOnStandardError("a line");
      done = true;
    });
    EXPECT_TRUE(Eventually([] { return disk.HoldsSomebody(); }));
    EXPECT_FALSE(done);
    disk.Open();
    writer.join();
  });
}

TEST(LoggerLimit, OneThatWaitsHoldsTheThreadThatMakesATracer) {
  Gate gate;
  Options options;
  options.service_name = "limits";
  options.exporter.type = "none";
  options.print_configuration = true;
  options.logger = [&](LogLevel, const std::string&) { gate.Pass(); };
  gate.Close();
  std::atomic<bool> done{false};
  std::thread maker([&] {
    EXPECT_NE(MakeTracer(options), nullptr);
    done = true;
  });
  EXPECT_TRUE(Eventually([&] { return gate.HoldsSomebody(); }));
  EXPECT_FALSE(done);
  gate.Open();
  maker.join();
}

// Ends a Scope on another thread than it began on. Returns whether its memory is freed.
bool ScopeLeftOpenIsFreed() {
  const RecordingTracer tracer;
  const auto span = tracer->StartSpan("a");
  std::unique_ptr<Scope> scope;
  node_is_freed = false;
  std::thread([&] { scope = std::make_unique<Scope>(*span); }).join();
  scope.reset();
  return node_is_freed;
}

TEST(ScopeLimit, OneThatAThreadLeavesOpenIsNotClearedAwayWithoutMemoryForAPthreadKey) {
  EXPECT_TRUE(ScopeLeftOpenIsFreed());
  no_thread_values = true;
  const bool freed = ScopeLeftOpenIsFreed();
  no_thread_values = false;
  EXPECT_FALSE(freed);
}

// Forks a child that asks for the global tracer. Returns the status of the child.
int StatusOfAChildThatAsksForTheGlobalTracer() {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    opentracing::Tracer::Global();
    _exit(0);
  }
  return AwaitChild(child);
}

TEST(GlobalTracerLimit, AChildMayWaitForItForEverIfAnotherThreadAskedForItAtTheFork) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  opentracing::Tracer::Global();
  EXPECT_EQ(StatusOfAChildThatAsksForTheGlobalTracer(), 0);
  unlock.Close();
  std::thread asker([] {
    holds_mutexes = true;
    opentracing::Tracer::Global();
    holds_mutexes = false;
  });
  EXPECT_TRUE(Eventually([] { return unlock.HoldsSomebody(); }));
  const int status = StatusOfAChildThatAsksForTheGlobalTracer();
  unlock.Open();
  asker.join();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) << status;
}

// Cancellation unwinds the stack. In a function that must not throw, this ends the process.
TEST(AsynchronousCancellationLimit, InACallEndsTheProcess) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    const RecordingTracer tracer;
    for (int i = 0; i < 1000; ++i) {
      // A thread that is canceled while it holds the span's lock never unlocks it.
      opentracing::Span* const span = tracer->StartSpan("a").release();
      std::atomic<bool> runs{false};
      struct Run {
        opentracing::Span* span;
        std::atomic<bool>* runs;
      } run{span, &runs};
      pthread_t thread;
      const auto start = [](void* argument) -> void* {
        const Run own = *static_cast<Run*>(argument);
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
        *own.runs = true;
        for (;;) own.span->SetTag("key", true);
      };
      if (pthread_create(&thread, nullptr, start, &run) != 0) _exit(1);
      while (!runs) sched_yield();
      pthread_cancel(thread);
      pthread_join(thread, nullptr);
    }
    _exit(0);
  }
  const int status = AwaitChild(child);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

}  // namespace
}  // namespace tracekin::testing
