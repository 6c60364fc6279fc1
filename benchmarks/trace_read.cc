// SPDX-License-Identifier: Apache-2.0
// Reads and merges traces, and prints what that needed.
//
// usage: trace_read own|babeltrace2 FOLDER
//        trace_read analysis FOLDER BEGIN DISTANCE
//
// `own` and `babeltrace2` do nothing with the events, and print how many there were in all and how
// many the analysis knows. `analysis` also analyses them and explains every span. It gives the
// spans of each copy that trace_amplify made, of which BEGIN and DISTANCE tell the time, a trace id
// of their own. It prints the numbers of events and spans, the bytes of the timelines, and the peak
// memory of the program in bytes.
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include "analysis/engine.h"
#include "ctf/source.h"

namespace {

using tracekin::ctf::Way;

std::uint64_t Events(const tracekin::ctf::Found& found) {
  std::uint64_t count = 0;
  for (const auto& trace : found.traces) {
    for (const auto& [name, events] : trace.events) count += events;
  }
  return count;
}

void Read(const std::string& folder, Way way) {
  const auto source = tracekin::ctf::Open({folder}, way);
  std::uint64_t told = 0;
  source->Read([&](const tracekin::analysis::Event&) { ++told; });
  std::cout << Events(source->found()) << " " << told << "\n";
}

std::uint64_t Bytes(const tracekin::analysis::Timelines& timelines) {
  const auto of = [](const auto& items) { return items.size() * sizeof(items[0]); };
  std::uint64_t bytes = of(timelines.threads) + of(timelines.waits) + of(timelines.packets);
  for (const auto& thread : timelines.threads) bytes += of(thread.segments);
  for (const auto& host : timelines.hosts) {
    bytes += of(host.idleness);
    for (const auto& turns : host.turns) bytes += of(turns);
  }
  return bytes;
}

void Analyse(const std::string& folder, std::uint64_t begin, std::uint64_t distance) {
  const auto source = tracekin::ctf::Open({folder}, Way::kOwn);
  tracekin::analysis::Engine engine;
  for (std::size_t host = 0; host < source->found().hosts.size(); ++host) {
    const auto& traces = source->found().traces;
    const bool kernel = std::any_of(traces.begin(), traces.end(), [&](const auto& trace) {
      return trace.kernel && trace.host == host;
    });
    engine.SetHost(static_cast<std::uint16_t>(host), source->found().hosts[host].clock, kernel);
  }
  source->Read([&](const tracekin::analysis::Event& event) {
    if (event.kind < tracekin::analysis::Kind::kSpanStart) return engine.Take(event);
    tracekin::analysis::Event of_copy = event;
    of_copy.number[tracekin::analysis::Span::kTraceHigh] =
        static_cast<std::int64_t>((event.cycles - begin) / distance);
    engine.Take(of_copy);
  });
  engine.Finish();
  const auto spans = static_cast<tracekin::analysis::SpanIndex>(engine.spans().all().size());
  std::uint64_t explained = 0;
  for (tracekin::analysis::SpanIndex span = 0; span < spans; ++span) {
    explained += engine.Why(span).parts.empty() ? 0 : 1;
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::cout << Events(source->found()) << " " << explained << " " << Bytes(engine.timelines())
            << " " << usage.ru_maxrss * 1024 << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  try {
    if (way == "analysis" && argc == 5) {
      Analyse(argv[2], std::stoull(argv[3]), std::stoull(argv[4]));
    } else if ((way == "own" || way == "babeltrace2") && argc == 3) {
      Read(argv[2], way == "own" ? Way::kOwn : Way::kBabeltrace2);
    } else {
      std::cerr << "usage: trace_read own|babeltrace2 FOLDER\n"
                   "       trace_read analysis FOLDER BEGIN DISTANCE\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "trace_read: " << error.what() << "\n";
    return 1;
  }
}
