// SPDX-License-Identifier: Apache-2.0
// Tests a process that is repeatedly stopped and continued, so that its threads do not run when
// they should. The counters must still add up.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

#include "tests/support/attack.h"
#include "tests/support/fork.h"
#include "tests/support/recording_tracer.h"
#include "tests/support/wait.h"

namespace tracekin::testing {
namespace {

/// Lets each of several tracers fill a queue and close it while the process is sometimes stopped.
void UseTracers() {
  for (int i = 0; i < 10; ++i) {
    Options options;
    options.service_name = "test";
    options.logger = [](LogLevel, const std::string&) {};
    options.exporter.endpoint = "http://127.0.0.1:1/";
    options.exporter.flush_interval_ms = 1;
    options.exporter.close_timeout_ms = static_cast<std::uint64_t>(1 + i % 3 * 10);
    const auto tracer = MakeTracer(options);
    for (int span = 0; span < 500; ++span) tracer->StartSpan("span")->SetTag("number", span);
    tracer->Close();
    // The threads end when they run next, and count the spans that they held.
    EXPECT_TRUE(Eventually(
        [&] { return tracer->counters().in_flight == 0 && tracer->counters().queued == 0; }));
    EXPECT_TRUE(Conserved(tracer->counters(), 0)) << ::testing::PrintToString(tracer->counters());
  }
}

TEST(StoppedProcess, CountsEverySpan) {
  TRACEKIN_SKIP_WITHOUT_THREADS_AFTER_FORK();
  std::uint64_t stops = 0;
  for (int i = Attacks(3); i != 0 && !HasFailure(); --i) {
    const pid_t child = fork();
    if (child == 0) {
      UseTracers();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      kill(child, SIGSTOP);
      usleep(static_cast<useconds_t>(500 + stops % 7 * 3000));
      kill(child, SIGCONT);
      usleep(static_cast<useconds_t>(300 + stops % 5 * 700));
      ++stops;
    }
    EXPECT_EQ(status, 0);
  }
  ReportAttacks(stops, "stops");
}

}  // namespace
}  // namespace tracekin::testing
