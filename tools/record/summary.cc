// SPDX-License-Identifier: Apache-2.0
#include "tools/record/summary.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/engine.h"
#include "base/terminal.h"
#include "ctf/error.h"
#include "ctf/folders.h"
#include "ctf/source.h"
#include "report/format.h"
#include "tools/record/session.h"

namespace tracekin::record {

namespace {

// The sum may be negative, because LTTng's counters are subject to races. A negative sum counts as
// 0.
std::uint64_t Discarded(const ctf::Missing& missing) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(missing.discarded, 0)) +
         missing.discarded_before;
}

// Caches the last process, because a thread's name rarely changes between two events.
class Processes {
 public:
  explicit Processes(Summary* summary) : summary_(summary) {}

  void Add(const analysis::Event& event) {
    if (event.pid == -1 || event.process.empty()) return;
    if (event.pid == pid_ && event.process == name_) return;
    pid_ = event.pid;
    name_ = event.process;
    summary_->processes.emplace(pid_, name_);
  }

 private:
  Summary* const summary_;
  std::int64_t pid_ = -1;
  std::string name_;
};

// Collects the spans. Does not pass kernel events to the engine, so that its memory does not grow
// with them.
class SpanCounter {
 public:
  explicit SpanCounter(const ctf::Found& found) : found_(found) {}

  void Add(const analysis::Event& event) {
    if (event.kind < analysis::Kind::kSpanStart) return;
    for (; hosts_ <= event.host && hosts_ < found_.hosts.size(); ++hosts_) {
      engine_.SetHost(static_cast<std::uint16_t>(hosts_), found_.hosts[hosts_].clock, false);
    }
    engine_.Take(event);
  }

  void Finish(Summary* summary) {
    engine_.Finish();
    const auto& spans = engine_.spans().all();
    std::set<std::pair<std::uint64_t, std::uint64_t>> traces, failed;
    std::size_t slowest = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const auto trace = std::pair(spans[i].ids.trace_high, spans[i].ids.trace_low);
      traces.insert(trace);
      if (spans[i].error) failed.insert(trace);
      if (spans[i].duration() > spans[slowest].duration()) slowest = i;
    }
    summary->spans = spans.size();
    summary->traces = traces.size();
    summary->failed_traces = failed.size();
    if (spans.empty()) return;
    const auto index = static_cast<analysis::SpanIndex>(slowest);
    summary->slowest = report::ShortSpanId(engine_, index) + ' ' +
                       report::SpanName(engine_, index) + ", " +
                       report::Duration(spans[slowest].duration());
  }

 private:
  const ctf::Found& found_;
  analysis::Engine engine_;
  std::size_t hosts_ = 0;
};

std::string Number(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

std::string Padded(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// Limits the output, because a process may change its name with each event.
void DescribeProcesses(const Summary& summary, std::string* text) {
  constexpr std::size_t kMostShown = 100;
  std::size_t shown = 0;
  for (const auto& [pid, name] : summary.processes) {
    if (shown++ == kMostShown) break;
    *text += "process " + std::to_string(pid) + "  " + ForTerminal(name) + '\n';
  }
  if (summary.processes.size() > kMostShown) {
    *text += "and " + Number(summary.processes.size() - kMostShown) + " more process names\n";
  }
}

void DescribeDiscarded(const char* whose, std::uint64_t count, std::uint64_t buffer_bytes,
                       std::string* text) {
  if (count == 0) return;
  *text += Number(count) + " events of " + whose +
           " were discarded because the buffers were full; try --buffer-size=" +
           std::to_string(buffer_bytes * 4 >> 20) + "M\n";
}

}  // namespace

Summary Summarize(const std::string& folder) try {
  Summary summary;
  if (ctf::FindTraces({folder}).empty()) return summary;
  const auto source = ctf::Open({folder});
  const ctf::Found& found = source->found();
  Processes processes(&summary);
  SpanCounter spans(found);
  source->Read([&](const analysis::Event& event) {
    processes.Add(event);
    spans.Add(event);
  });
  spans.Finish(&summary);
  for (const ctf::Trace& trace : found.traces) {
    summary.clock_offsets_ns[trace.kernel ? "kernel" : "ust"] = trace.clock.offset_ns;
    for (const auto& [name, count] : trace.events) {
      summary.events[(trace.kernel ? "kernel:" : "") + name] += count;
    }
  }
  summary.discarded_kernel = Discarded(found.kernel);
  summary.discarded_ust = Discarded(found.programs);
  summary.damage = found.damage;
  return summary;
} catch (const ctf::ReadError& error) {
  throw RecordError("the trace in " + ForTerminal(folder) +
                    " cannot be read: " + ForTerminal(error.what()));
}

std::string Describe(const Summary& summary, std::uint64_t buffer_bytes) {
  std::string text;
  std::uint64_t kernel = 0;
  for (const auto& [name, count] : summary.events) {
    if (name.rfind("kernel:", 0) == 0) {
      kernel += count;
    } else {
      text += Padded(Number(count), 14) + "  " + ForTerminal(name) + '\n';
    }
  }
  if (kernel != 0) text += Padded(Number(kernel), 14) + "  kernel events\n";
  DescribeProcesses(summary, &text);
  const auto kernel_clock = summary.clock_offsets_ns.find("kernel");
  const auto ust_clock = summary.clock_offsets_ns.find("ust");
  if (kernel_clock != summary.clock_offsets_ns.end() &&
      ust_clock != summary.clock_offsets_ns.end()) {
    const std::int64_t late = ust_clock->second - kernel_clock->second;
    text += "clocks: tracekin's events appear " + std::to_string(std::abs(late)) + " ns too " +
            (late < 0 ? "early" : "late") + " relative to the kernel's; compare raw clock values\n";
  }
  DescribeDiscarded("the kernel", summary.discarded_kernel, buffer_bytes, &text);
  DescribeDiscarded("tracekin", summary.discarded_ust, buffer_bytes, &text);
  if (summary.spans > 0) {
    text += Number(summary.spans) + " spans in " + Number(summary.traces) + " traces, " +
            Number(summary.failed_traces) + " with an error; the longest is " + summary.slowest +
            '\n';
  }
  for (const std::string& damage : summary.damage) {
    text += "not all of the trace can be read: " + ForTerminal(damage) + '\n';
  }
  return text;
}

}  // namespace tracekin::record
