// SPDX-License-Identifier: Apache-2.0
// Tells of a tracer's counters: as the LTTng event tracekin:exporter_stats, so that a trace
// explains its own holes, and as a file for the textfile collector of Prometheus' node_exporter.
// That the file cannot be written is told once, until it can be again. A file system that hangs
// holds up the thread of the exporter.
//
// Ownership: shared by the tracer and its exporter, whose thread may outlive the tracer. Thread-safety:
// Tick is the exporter thread's, Detach any thread's.
#ifndef TRACEKIN_TRACER_REPORTER_H
#define TRACEKIN_TRACER_REPORTER_H

#include <chrono>
#include <mutex>
#include <string>

#include "tracekin/counters.h"
#include "tracekin/tracer.h"

namespace tracekin {

class Reporter {
 public:
  /// `tracer` is borrowed until Detach().
  Reporter(const Options& options, const Tracer* tracer);

  /// To be called often; does something once a second, once in metrics_interval_ms, and the `last`
  /// time, when the file is removed: what a process counted is no news of the one that comes next.
  /// Returns what the operator is to be told, or "" for nothing. Throws std::bad_alloc.
  std::string Tick(bool last);

  /// The tracer is not looked at any more.
  void Detach() noexcept;

  /// In the child of a fork, which has its own counters and its own file.
  void AfterForkInChild() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void RecordEvent(const Counters& counters) noexcept;
  std::string WriteFile(const Counters& counters);
  std::string path() const;

  const bool events_;
  const std::string service_;
  const std::string path_;  // empty: no file
  const std::chrono::milliseconds interval_;

  std::mutex mutex_;  // for:
  const Tracer* tracer_;

  // The exporter thread's own:
  Clock::time_point next_event_{};
  Clock::time_point next_file_{};
  Counters recorded_;
  bool told_of_file_ = false;  // that it cannot be written
};

/// The counters in Prometheus' text format (version 0.0.4). Throws std::bad_alloc.
std::string PrometheusText(const Counters& counters, const std::string& service, long process);

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_REPORTER_H
