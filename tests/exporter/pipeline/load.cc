// SPDX-License-Identifier: Apache-2.0
// A program under load, for tests that check what happens to its spans.
//
//   exporter_load SPANS_PER_SECOND SECONDS DRAIN_SECONDS [CHILDREN]
//
// Makes a tracer from the JSON in TRACEKIN_TEST_CONFIGURATION and finishes spans at a constant
// rate. Then it waits up to DRAIN_SECONDS until all of them are settled, closes the tracer and
// prints its counters as a line of JSON. With CHILDREN, the tracer is made first and that many
// forked children do the rest, like in a pre-fork server. SIGTERM ends their load early.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tracekin/tracer.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

volatile std::sig_atomic_t ended = 0;

void FinishSpan(const tracekin::Tracer& tracer) {
  const auto span = tracer.StartSpan("operation");
  span->SetTag("http.method", "GET");
  span->SetTag("http.status_code", 200);
  span->SetTag("cache.hit", true);
  span->Log({{"event", "looked up"}});
}

void Load(const tracekin::Tracer& tracer, double rate, double seconds) {
  const auto start = Clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double made = 0;
  while (ended == 0 && elapsed() < seconds) {
    for (; made < elapsed() * rate; ++made) FinishSpan(tracer);
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void Drain(const tracekin::Tracer& tracer, double seconds) {
  const auto start = Clock::now();
  const auto left = [&tracer] {
    const tracekin::Counters counters = tracer.counters();
    return counters.queued + counters.in_flight + counters.spooled;
  };
  while (left() != 0 && Clock::now() - start < std::chrono::duration<double>(seconds)) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

// Returns the counters of one group as members of a JSON object.
std::string Members(const tracekin::Counters& counters, tracekin::CounterGroup group) {
  std::string members;
  for (const tracekin::CounterInfo& info : tracekin::kCounters) {
    if (info.group != group) continue;
    members += (members.empty() ? "\"" : ", \"") + std::string(info.name) +
               "\": " + std::to_string(info.In(counters));
  }
  return members;
}

// Uses a single write, because several processes share standard output.
void Print(const tracekin::Counters& counters) {
  dprintf(STDOUT_FILENO, "{\"pid\": %d, %s, \"dropped\": {%s}}\n", getpid(),
          Members(counters, tracekin::CounterGroup::kSpans).c_str(),
          Members(counters, tracekin::CounterGroup::kDropped).c_str());
}

void Work(tracekin::Tracer* tracer, char** arguments) {
  Load(*tracer, std::atof(arguments[1]), std::atof(arguments[2]));
  Drain(*tracer, std::atof(arguments[3]));
  tracer->Close();
  Print(tracer->counters());
}

}  // namespace

int main(int argc, char** argv) {
  const char* configuration = std::getenv("TRACEKIN_TEST_CONFIGURATION");
  if (argc < 4 || configuration == nullptr) return 2;
  std::signal(SIGTERM, [](int) { ended = 1; });
  std::string error;
  const auto tracer = tracekin::MakeTracerFromJson(configuration, &error);
  if (tracer == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 2;
  }
  const int children = argc > 4 ? std::atoi(argv[4]) : 0;
  for (int i = 0; i < children; ++i) {
    FinishSpan(*tracer);  // a span of the parent, which no child may send
    if (fork() == 0) {
      Work(tracer.get(), argv);
      return 0;
    }
  }
  if (children == 0) {
    Work(tracer.get(), argv);
  } else {
    while (wait(nullptr) > 0) {
    }
    Drain(*tracer, std::atof(argv[3]));
    tracer->Close();
    Print(tracer->counters());
  }
  return 0;
}
