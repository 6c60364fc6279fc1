// SPDX-License-Identifier: Apache-2.0
// Publishes a tracer's counters: as the LTTng event tracekin:exporter_stats, so that a trace
// explains its own gaps, and as a file for the textfile collector of Prometheus' node_exporter. A
// failure to write the file is reported once, and again only after a success. A file system that
// hangs blocks the exporter thread.
//
// Ownership: shared by the tracer and its exporter, whose thread may outlive the tracer.
// Thread-safety: Tick belongs to the exporter thread. Detach may be called from any thread.
#ifndef TRACEKIN_TRACER_COUNTER_PUBLISHER_H
#define TRACEKIN_TRACER_COUNTER_PUBLISHER_H

#include <chrono>
#include <mutex>
#include <string>

#include "tracekin/counters.h"
#include "tracekin/tracer.h"

namespace tracekin {

class CounterPublisher {
 public:
  /// Borrows `tracer` until Detach().
  CounterPublisher(const Options& options, const Tracer* tracer);

  /// Records the event once per second, and writes the file once per metrics_interval_ms. May be
  /// called more often. The `last` call removes the file, unless spans were dropped because the
  /// tracer was closed: their number can then still be read. Returns a message for the operator or
  /// "". Throws std::bad_alloc.
  std::string Tick(bool last);

  /// Stops using the tracer.
  void Detach() noexcept;

  /// Called in the child of a fork, which has its own counters and its own file.
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

  std::mutex mutex_;  // guards:
  const Tracer* tracer_;

  // Used by the exporter thread only:
  Clock::time_point next_event_{};
  Clock::time_point next_file_{};
  Counters recorded_;
  bool told_of_file_ = false;  // true if a failure to write it was reported
};

/// Returns the counters in Prometheus' text format (version 0.0.4). Throws std::bad_alloc.
std::string PrometheusText(const Counters& counters, const std::string& service, long process);

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_COUNTER_PUBLISHER_H
