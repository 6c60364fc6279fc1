// SPDX-License-Identifier: Apache-2.0
// What the operator is told of dropped spans: how many since the last time, why, and the last error; at
// most once in ten seconds.
//
// Not synchronised.
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

  /// The line to be logged, or "" if there is nothing to tell, or, unless it is the `last` time, not yet.
  /// Throws std::bad_alloc; the next call then tells of the same drops.
  std::string Make(const ExporterTotals& totals, std::uint64_t queue_full,
                   const std::string& last_error, TimePoint now, bool last);

 private:
  ExporterTotals told_;
  std::uint64_t told_queue_full_ = 0;
  TimePoint next_ = TimePoint::min();
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_DROP_REPORT_H
