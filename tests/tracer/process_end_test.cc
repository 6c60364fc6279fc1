// SPDX-License-Identifier: Apache-2.0
// Tests the ways in which a process with an open tracer may end. It must always end in time. After
// exit(), spans are exported, unless another exit() runs at the same time: in glibc, that one ends
// the process before the first one's handlers have returned.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/attack.h"
#include "tests/support/fork.h"
#include "tests/support/span_file.h"
#include "tracekin/tracer.h"

namespace tracekin::testing {
namespace {

constexpr int kExitStatus = 7;

void Exit() { std::exit(kExitStatus); }

class ProcessEnd : public ::testing::Test {
 protected:
  void SetUp() override { TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK(); }

  /// Repeatedly ends a process with `end`, which receives its tracer. Returns the status of the
  /// last process.
  template <class End>
  int StatusAfter(End end) {
    const int processes = Attacks(20);
    int status = 0;
    for (int i = 0; i < processes && !HasFailure(); ++i) {
      const pid_t child = fork();
      if (child == 0) {
        Options options;
        options.service_name = "test";
        options.exporter.path = file_.path();
        options.exporter.flush_interval_ms = 60'000;
        const auto tracer = MakeTracer(options);
        tracer->StartSpan("finished");
        const auto open = tracer->StartSpan("open");
        end(*tracer);
        for (;;) tracer->StartSpan("later")->SetTag("key", "value");
      }
      status = AwaitChild(child);
      EXPECT_NE(status, -1) << "it has not ended in time";
    }
    ReportAttacks(static_cast<std::uint64_t>(processes), "processes");
    return status;
  }

  template <class End>
  void ExpectExit(End end) {
    const int status = StatusAfter(end);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), kExitStatus);
  }

  template <class End>
  void ExpectExitAndSpans(End end) {
    ExpectExit(end);
    const auto names = file_.Values("name");
    EXPECT_GE(std::count(names.begin(), names.end(), "finished"), Attacks(20));
  }

 private:
  const SpanFile file_;
};

TEST_F(ProcessEnd, ByExitInAThreadComesInTimeAndExports) {
  ExpectExitAndSpans([](Tracer&) { std::thread(Exit).detach(); });
}

TEST_F(ProcessEnd, ByExitInTwoThreadsComesInTime) {
  ExpectExit([](Tracer&) {
    std::thread(Exit).detach();
    std::thread(Exit).detach();
  });
}

TEST_F(ProcessEnd, ByExitBesideThreadsThatForkComesInTimeAndExports) {
  ExpectExitAndSpans([](Tracer& tracer) {
    std::thread([&tracer] {
      for (;;) {
        const pid_t child = fork();
        if (child == 0) {
          tracer.StartSpan("child");
          _exit(0);
        }
        waitpid(child, nullptr, 0);
      }
    }).detach();
    usleep(1000);
    std::thread(Exit).detach();
  });
}

TEST_F(ProcessEnd, ByQuickExitComesInTime) {
  const int status = StatusAfter([](Tracer&) { std::thread([] { std::quick_exit(3); }).detach(); });
  EXPECT_TRUE(WIFEXITED(status)) << status;
}

TEST_F(ProcessEnd, ByAbortComesInTime) {
  const int status = StatusAfter([](Tracer&) { std::thread([] { std::abort(); }).detach(); });
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

}  // namespace
}  // namespace tracekin::testing
