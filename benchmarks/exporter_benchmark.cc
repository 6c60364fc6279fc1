// SPDX-License-Identifier: Apache-2.0
// Measures what exporting spans costs a process, from StartSpan to the collector's answer. Each
// measurement needs its own process. benchmarks/exporter_report.py runs them and makes the table of
// docs/performance.md.
//
//   exporter_benchmark cpu CONFIGURATION SPANS        CPU and wall time of SPANS spans without loss
//   exporter_benchmark memory CONFIGURATION SECONDS   resident memory before and after a full load
//   exporter_benchmark latency CONFIGURATION SECONDS  caller's time per span, at 10,000 spans/s
//   exporter_benchmark overload CONFIGURATION THREADS THREADS threads at full speed for three
//                                                     seconds, whether or not spans are dropped
//   exporter_benchmark datadog PORT SPANS             like cpu, for dd-opentracing with an agent on
//                                                     that port
//
// CONFIGURATION is tracekin's JSON. `latency` also accepts two names: "noop" is the API's no-op
// tracer, which shows the cost of the machine's interrupts and of this program's clock. "datadog"
// is dd-opentracing without an agent. Prints one line of JSON.

#include <opentracing/noop.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/works.h"
#include "tracekin/tracer.h"

#ifdef TRACEKIN_HAVE_DATADOG
#include <datadog/opentracing.h>
#endif

namespace tracekin {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentMegabytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * 4096 / 1e6;
}

int Cpu(const char* configuration, std::uint64_t count) {
  const auto tracer = MustMakeTracer(configuration);
  const auto parent = tracer->StartSpan("parent");
  ChildSpan(*tracer, parent->context());
  tracer->Flush(std::chrono::seconds(10));  // opens the connection
  const double cpu = CpuSeconds();
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    ChildSpan(*tracer, parent->context());
    // Makes spans as fast as they can be sent without loss. The queue may be half full.
    while (i % 1024 == 0 && tracer->counters().queued > 32768) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  tracer->Flush(std::chrono::seconds(60));
  const Counters counters = tracer->counters();
  std::printf("{\"cpu_us\": %.3f, \"rate\": %.0f, \"exported\": %lu, \"dropped\": %lu}\n",
              1e6 * (CpuSeconds() - cpu) / static_cast<double>(count),
              static_cast<double>(count) / Seconds(Clock::now() - start), counters.exported,
              counters.TotalDropped());
  return 0;
}

int Memory(const char* configuration, double seconds) {
  const double before = ResidentMegabytes();
  const auto tracer = MustMakeTracer(configuration);
  const double idle = ResidentMegabytes();
  const auto parent = tracer->StartSpan("parent");
  const auto start = Clock::now();
  double most = 0;
  while (Seconds(Clock::now() - start) < seconds) {
    for (int i = 0; i < 10'000; ++i) ChildSpan(*tracer, parent->context());
    most = std::max(most, ResidentMegabytes());
  }
  const Counters counters = tracer->counters();
  std::printf("{\"idle_mb\": %.2f, \"load_mb\": %.2f, \"started\": %lu, \"dropped\": %lu}\n",
              idle - before, most - before, counters.started, counters.TotalDropped());
  return 0;
}

#ifdef TRACEKIN_HAVE_DATADOG
std::shared_ptr<opentracing::Tracer> MakeDatadogTracer(const char* port) {
  datadog::opentracing::TracerOptions options;
  options.service = "benchmark";
  options.agent_port = static_cast<std::uint32_t>(std::atoi(port));
  options.log_func = [](datadog::opentracing::LogLevel, opentracing::string_view) {};
  return datadog::opentracing::makeTracer(options);
}
#endif

std::shared_ptr<opentracing::Tracer> MakeAnyTracer(const char* configuration) {
  if (std::strcmp(configuration, "noop") == 0) return opentracing::MakeNoopTracer();
#ifdef TRACEKIN_HAVE_DATADOG
  if (std::strcmp(configuration, "datadog") == 0) return MakeDatadogTracer("1");
#endif
  return MustMakeTracer(configuration);
}

int Latency(const char* configuration, double seconds) {
  const auto tracer = MakeAnyTracer(configuration);
  const auto parent = tracer->StartSpan("parent");
  constexpr auto kInterval = std::chrono::microseconds(100);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(seconds * 1.1e4));
  const auto start = Clock::now();
  for (auto next = start; Seconds(next - start) < seconds; next += kInterval) {
    while (Clock::now() < next) {
    }
    const auto begin = Clock::now();
    ChildSpan(*tracer, parent->context());
    times.push_back(1e6 * Seconds(Clock::now() - begin));
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("{\"p50_us\": %.2f, \"p99_us\": %.2f, \"p999_us\": %.2f, \"most_us\": %.1f}\n",
              at(0.5), at(0.99), at(0.999), times.back());
  return 0;
}

// Returns the CPU time, in seconds, of the process's threads with this name.
double ThreadsCpuSeconds(const std::string& name) {
  double seconds = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string comm;
    std::getline(std::ifstream(thread.path() / "comm"), comm);
    double nanoseconds = 0;
    if (comm == name && std::ifstream(thread.path() / "schedstat") >> nanoseconds) {
      seconds += 1e-9 * nanoseconds;
    }
  }
  return seconds;
}

int Overload(const char* configuration, int count) {
  const auto tracer = MustMakeTracer(configuration);
  const auto parent = tracer->StartSpan("parent");
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      pthread_setname_np(pthread_self(), "producer");
      while (!stop.load(std::memory_order_relaxed)) ChildSpan(*tracer, parent->context());
    });
  }
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const Counters counters = tracer->counters();
  const double seconds = Seconds(Clock::now() - start);
  const auto started = static_cast<double>(counters.started);
  const auto exported = static_cast<double>(counters.exported);
  std::printf(
      "{\"started\": %.0f, \"exported\": %.0f, \"producer_ns\": %.0f, \"exporter_ns\": %.0f, "
      "\"sender_ns\": %.0f}\n",
      started / seconds, exported / seconds, 1e9 * ThreadsCpuSeconds("producer") / started,
      1e9 * ThreadsCpuSeconds("tracekin") / exported,
      1e9 * ThreadsCpuSeconds("tracekin-send") / exported);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return 0;
}

#ifdef TRACEKIN_HAVE_DATADOG
int Datadog(const char* port, std::uint64_t count) {
  const auto tracer = MakeDatadogTracer(port);
  const double cpu = CpuSeconds();
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    auto root = tracer->StartSpan("parent");
    ChildSpan(*tracer, root->context());
    root->Finish();
    // dd-opentracing does not have counters and drops the traces that its queue of 7000 cannot
    // hold, so this makes only 20,000 traces per second.
    if (i % 20 == 0) std::this_thread::sleep_until(start + milliseconds(i / 20));
  }
  tracer->Close();
  std::printf("{\"cpu_us\": %.3f, \"rate\": %.0f}\n",
              1e6 * (CpuSeconds() - cpu) / static_cast<double>(2 * count),
              static_cast<double>(2 * count) / Seconds(Clock::now() - start));
  return 0;
}
#endif

}  // namespace
}  // namespace tracekin

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string what = argv[1];
  if (what == "cpu") return tracekin::Cpu(argv[2], std::strtoull(argv[3], nullptr, 10));
  if (what == "memory") return tracekin::Memory(argv[2], std::atof(argv[3]));
  if (what == "latency") return tracekin::Latency(argv[2], std::atof(argv[3]));
  if (what == "overload") return tracekin::Overload(argv[2], std::atoi(argv[3]));
#ifdef TRACEKIN_HAVE_DATADOG
  if (what == "datadog") return tracekin::Datadog(argv[2], std::strtoull(argv[3], nullptr, 10));
#endif
  return 2;
}
