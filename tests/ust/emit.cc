// SPDX-License-Identifier: Apache-2.0
// Emits span events through the recorder and prints a line for each: its name, and the pid, tid and
// span id that the trace must contain. Exits with status 1 if a check in the process itself fails.
//
//   ust_emit fields    one event of each kind, with values that events_test.py knows
//   ust_emit threads   events on several threads at the same time
//   ust_emit fork      in parent and child, on the forking thread and on another one
//   ust_emit forks     several threads that fork at the same time
//   ust_emit daemon    in a grandchild that has closed all descriptors
//   ust_emit wait      waits until a session is active, emits, and waits until none is active
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ust/loader.h"

namespace {

using tracekin::ust::Enabled;
using tracekin::ust::Recorder;

void Require(bool condition, const char* what) {
  if (condition) return;
  dprintf(STDERR_FILENO, "ust_emit: process %d: not so: %s\n", getpid(), what);
  _exit(1);
}

// Writes each line with one call, because several processes share standard output.
void Emit(std::uint64_t span_id) {
  const tracekin_ust_ids ids = {1, 2, span_id, gettid()};
  Recorder()->scope_enter(&ids);
  dprintf(STDOUT_FILENO, "scope_enter %d %d %llu\n", getpid(), gettid(),
          static_cast<unsigned long long>(span_id));
}

void EmitOnAnotherThread(std::uint64_t span_id) { std::thread(Emit, span_id).join(); }

void EmitStats() {
  tracekin_ust_stats stats = {};
  stats.service = "frontend";
  std::uint64_t place = 0;
#define TRACEKIN_SET(field) stats.field = ++place;
  TRACEKIN_UST_COUNTERS(TRACEKIN_SET)
#undef TRACEKIN_SET
  stats.tid = gettid();
  Recorder()->exporter_stats(&stats);
}

void EmitFields() {
  const std::string long_value(60000, 'x');
  const std::string tags =
      R"({"a \"quoted\" key":"line\nbreak","umlaut":"\u00e4ä","long":")" + long_value + "\"}";
  tracekin_ust_span span = {};
  span.trace_id_high = 0xfedcba9876543210;
  span.trace_id_low = UINT64_MAX;
  span.span_id = 0x0102030405060708;
  span.parent_span_id = 0x8000000000000000;
  span.op_name = "GET /ä";
  span.service = "frontend";
  span.kind = "server";
  span.start_time = 1790000000123456789;
  span.tid = gettid();
  Recorder()->span_start(&span);

  const tracekin_ust_ids ids = {span.trace_id_high, span.trace_id_low, span.span_id, gettid()};
  Recorder()->scope_enter(&ids);
  for (const tracekin_ust_level level :
       {TRACEKIN_UST_DEBUG, TRACEKIN_UST_INFO, TRACEKIN_UST_WARNING, TRACEKIN_UST_ERROR}) {
    Recorder()->span_log(level, &ids, "event=cache miss");
  }
  Recorder()->scope_exit(&ids);

  span.op_name = "GET";
  span.kind = "";
  span.duration = 987654321;
  span.tags = tags.c_str();
  span.sampled = 1;
  span.error = 1;
  Recorder()->span_finish(&span);
  EmitStats();
  Recorder()->jaeger_start_span(&span);
  Recorder()->jaeger_end_span(&span);
}

void EmitOnThreads() {
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (std::uint64_t event = 0; event < 25; ++event) Emit(1000 * thread + event + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

bool IsBlocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

// Runs `child` in a child process. Requires that it succeeds and that fork() does not change the
// signal mask of either process.
void Fork(const std::function<void()>& child) {
  const bool blocked = IsBlocked(SIGUSR1);
  const pid_t pid = fork();
  Require(pid >= 0, "fork works");
  Require(IsBlocked(SIGUSR1) == blocked, "SIGUSR1 is masked as before the fork");
  Require(!IsBlocked(SIGUSR2), "SIGUSR2 is not masked");
  if (pid == 0) {
    child();
    _exit(0);
  }
  int status = 0;
  Require(waitpid(pid, &status, 0) == pid, "there is a child");
  Require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child does well");
}

void EmitAcrossFork() {
  Emit(1);
  Fork([] {
    Emit(2);
    EmitOnAnotherThread(3);
    Fork([] { Emit(4); });
    Emit(5);
  });
  Emit(6);
  EmitOnAnotherThread(7);
}

void EmitAcrossForksOnThreads() {
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      // Every other thread blocks a different set of signals.
      sigset_t usr1;
      sigemptyset(&usr1);
      sigaddset(&usr1, SIGUSR1);
      if (thread % 2 == 0) pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
      for (std::uint64_t child = 0; child < 5; ++child) {
        const std::uint64_t span_id = 1000 * (thread + 1) + 10 * child;
        Emit(span_id);
        Fork([span_id] { Emit(span_id + 1); });
        Emit(span_id + 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Does the same as daemon(3), and closes all descriptors that it does not know, including LTTng's.
void EmitAsDaemon() {
  int done[2];
  Require(pipe(done) == 0, "there is a pipe");
  Fork([&done] {
    setsid();
    if (fork() != 0) _exit(0);
    for (int descriptor = 3; descriptor < 256; ++descriptor) {
      if (descriptor != done[1]) close(descriptor);
    }
    for (std::uint64_t span_id = 1; span_id <= 50; ++span_id) Emit(span_id);
    EmitOnAnotherThread(51);
    Fork([] { Emit(52); });
    dprintf(done[1], "done");
    _exit(0);
  });
  close(done[1]);
  char text[5] = {};
  Require(read(done[0], text, 4) == 4 && std::string(text) == "done", "the daemon does well");
}

void WaitUntilEnabledIs(bool wanted) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Enabled(Recorder()->scope_enter_enabled) != wanted) {
    Require(std::chrono::steady_clock::now() < deadline, "the session is seen within 20 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Emits only on request, because LTTng does not define which events it records while a session is
// being started.
void EmitWhenEnabled() {
  Require(!Enabled(Recorder()->scope_enter_enabled), "nobody listens at first");
  dprintf(STDOUT_FILENO, "dormant\n");
  WaitUntilEnabledIs(true);
  char go;
  Require(read(STDIN_FILENO, &go, 1) == 1, "the session is started");
  Emit(1);
  dprintf(STDOUT_FILENO, "emitted\n");
  WaitUntilEnabledIs(false);
  dprintf(STDOUT_FILENO, "dormant\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::string error;
  if (!tracekin::ust::LoadProvider(&error)) {
    std::fprintf(stderr, "ust_emit: %s\n", error.c_str());
    return 1;
  }
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "fields") {
    EmitFields();
  } else if (what == "threads") {
    EmitOnThreads();
  } else if (what == "fork") {
    EmitAcrossFork();
  } else if (what == "forks") {
    EmitAcrossForksOnThreads();
  } else if (what == "daemon") {
    EmitAsDaemon();
  } else if (what == "wait") {
    EmitWhenEnabled();
  } else {
    return 2;
  }
  return 0;
}
