// SPDX-License-Identifier: Apache-2.0
// Analyses a recording. Pass it all events in the order of each host's clock, and then ask why a
// span was slow.
//
// Does not use files, clocks or threads. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_ENGINE_H
#define TRACEKIN_ANALYSIS_ENGINE_H

#include "analysis/critical_path.h"
#include "analysis/event.h"
#include "analysis/machine.h"
#include "analysis/spans.h"

namespace tracekin::analysis {

class Engine {
 public:
  Engine() = default;
  Engine(const Machine::Limits& machine, const Spans::Limits& spans)
      : machine_(machine), spans_(spans) {}

  /// Sets how to convert the cycles of a host to time, and whether the recording contains events of
  /// its kernel. REQUIRES: called before the first event of the host.
  void SetHost(std::uint16_t host, const Clock& clock, bool kernel) {
    machine_.SetHost(host, clock, kernel);
  }

  void Take(const Event& event) {
    const Time now = machine_.Take(event);
    if (event.kind >= Kind::kSpanStart) spans_.Take(event, machine_.ThreadOf(event), now);
  }

  /// Ends the recording. REQUIRES: called after the last event and before any query.
  void Finish() { spans_.Finish(machine_.timelines()); }

  const Timelines& timelines() const { return machine_.timelines(); }
  const Spans& spans() const { return spans_; }
  const Machine::Counts& counts() const { return machine_.counts(); }

  Explanation Why(SpanIndex span) const { return Explain(timelines(), spans_, span); }

 private:
  Machine machine_;
  Spans spans_;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_ENGINE_H
