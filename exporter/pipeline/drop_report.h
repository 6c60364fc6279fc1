// SPDX-License-Identifier: Apache-2.0
// Reports dropped spans to the operator: how many since the last report, why, and the last error.
// Reports at most once every 10 s.
//
// Thread-safety: none.
#ifndef TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H
#define TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H

#include <chrono>
#include <string>

#include "tracekin/counters.h"

namespace tracekin::exporter {

class DropReport {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Returns the line to log, or "" if there are no new drops. Unless `last` is true, also returns
  /// "" if it is too early for a report. Throws std::bad_alloc, and then the next call reports the
  /// same drops.
  std::string Make(const Counters& totals, const std::string& last_error, TimePoint now, bool last);

 private:
  Counters told_;
  TimePoint next_ = TimePoint::min();
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H
