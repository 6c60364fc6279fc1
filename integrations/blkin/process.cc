// SPDX-License-Identifier: Apache-2.0
#include "integrations/blkin/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "base/no_cancellation.h"
#include "base/no_destructor.h"
#include "base/signals_blocked.h"
#include "base/standard_error.h"
#include "integrations/blkin/environment.h"
#include "ust/loader.h"

namespace tracekin::blkin {

namespace {

enum class Stage { kNew, kBusy, kReady };

struct Process {
  PartialSpans spans;
  std::atomic<Stage> stage{Stage::kNew};
  std::atomic<int> result{0};
  std::atomic<bool> tracer_was_set{false};
  std::atomic<std::int64_t> rate{-1};  // -1: not set
  std::atomic<std::uint64_t> roots{0};
  std::atomic<std::int64_t> idle_interval_ns{0};
  std::atomic<bool> thread_runs{false};
};

Process& TheProcess() {
  static NoDestructor<Process> process;
  return *process;
}

void Sleep(std::int64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

void* ReportIdleForEver(void*) {
  for (;;) {
    Sleep(TheProcess().idle_interval_ns.load(std::memory_order_relaxed));
    TheProcess().spans.ReportIdle();
  }
  return nullptr;
}

// If the host cannot create a thread, idle spans are reported at exit or when others replace them.
void StartThread() noexcept {
  if (TheProcess().thread_runs.exchange(true)) return;
  const SignalsBlocked signals_blocked;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, ReportIdleForEver, nullptr) == 0) {
    pthread_setname_np(thread, "tracekin-blkin");
    pthread_detach(thread);
  } else {
    TheProcess().thread_runs = false;
  }
}

void BeforeFork() { TheProcess().spans.LockAll(); }

void AfterForkInParent() { TheProcess().spans.UnlockAll(); }

void AfterForkInChild() {
  Process& process = TheProcess();
  process.spans.ForgetAll();
  process.spans.UnlockAll();
  // The thread of the parent that was initialising does not exist here.
  if (process.stage == Stage::kBusy) process.stage = Stage::kNew;
  if (process.thread_runs.exchange(false)) StartThread();
}

// Runs at load time, because ids can be made without a tracer.
__attribute__((constructor)) void RegisterForkHandlers() {
  TheProcess();
  pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
}

void AtExit() { TheProcess().spans.ReportAll(); }

void ReadRate() {
  const char* text = secure_getenv("RATE");
  if (text == nullptr) return;
  std::int64_t rate = -1;
  const char* const end = text + std::strlen(text);
  const auto [stop, status] = std::from_chars(text, end, rate);
  if (status == std::errc() && stop == end && rate >= 0) TheProcess().rate = rate;
}

int ConfigureTracer() {
  if (TheProcess().tracer_was_set) return 0;
  try {
    std::string error;
    const std::shared_ptr<Tracer> tracer = TracerOfEnvironment(&error);
    if (tracer != nullptr) SetTracer(tracer, {});
    if (error.empty()) return 0;
    SayOnStandardError("BlkKin's spans are not exported: " + error);
  } catch (const std::exception&) {
  }
  return -EINVAL;
}

void LoadEvents() noexcept {
  try {
    std::string error;
    ust::LoadProvider(&error);  // without the provider, no events are recorded, like without LTTng
  } catch (const std::exception&) {
  }
}

}  // namespace

PartialSpans& Spans() noexcept { return TheProcess().spans; }

int Initialise() noexcept {
  Process& process = TheProcess();
  if (__builtin_expect(process.stage.load(std::memory_order_acquire) == Stage::kReady, 1)) {
    return process.result.load(std::memory_order_relaxed);
  }
  const NoCancellation no_cancellation;
  Stage stage = Stage::kNew;
  if (process.stage.compare_exchange_strong(stage, Stage::kBusy)) {
    LoadEvents();
    ReadRate();
    process.result = ConfigureTracer();
    process.stage.store(Stage::kReady, std::memory_order_release);
  }
  while (process.stage.load(std::memory_order_acquire) == Stage::kBusy) Sleep(1'000'000);
  return process.result.load(std::memory_order_relaxed);
}

void SetTracer(const std::shared_ptr<Tracer>& tracer, const BlkinLimits& limits) {
  Process& process = TheProcess();
  process.tracer_was_set = true;
  const std::int64_t idle_ns = std::chrono::nanoseconds(limits.idle_timeout).count();
  process.idle_interval_ns = std::clamp<std::int64_t>(idle_ns / 4, 10'000'000, 1'000'000'000);
  process.spans.SetTracer(tracer, limits);
  if (tracer == nullptr) return;
  // Registered after the tracer's exit handler, because handlers run in reverse order and the
  // tracer's closes it.
  static std::atomic<bool> registered{false};
  if (!registered.exchange(true)) std::atexit(AtExit);
  StartThread();
}

bool Sample(std::int64_t trace_id) noexcept {
  Process& process = TheProcess();
  const std::int64_t rate = process.rate.load(std::memory_order_relaxed);
  if (rate < 0) return process.spans.Sample(trace_id);
  const auto one_of = static_cast<std::uint64_t>(rate) + 1;
  return process.roots.fetch_add(1, std::memory_order_relaxed) % one_of == 0;
}

}  // namespace tracekin::blkin
