// SPDX-License-Identifier: Apache-2.0
// Reports dropped spans to the operator: how many since the last report, why, and the last error.
// Reports at most once every 10 s.
//
// Thread-safety: none.
#ifndef TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H
#define TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H

#include <chrono>
#include <cstdint>
#include <string>

#include "exporter/pipeline/totals.h"

namespace tracekin {

class DropReport {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Returns the line to log, or "" if there are no new drops. Also returns "" if the last report
  /// was too recent, unless this is the `last` call. Throws std::bad_alloc; the next call then
  /// reports the same drops.
  std::string Make(const ExporterTotals& totals, std::uint64_t queue_full,
                   const std::string& last_error, TimePoint now, bool last);

 private:
  ExporterTotals told_;
  std::uint64_t told_queue_full_ = 0;
  TimePoint next_ = TimePoint::min();
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H
