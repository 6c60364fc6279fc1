// SPDX-License-Identifier: Apache-2.0
// Where the time of many spans went, by operation, service, thread or tag.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_ANALYSIS_STATISTICS_H
#define TRACEKIN_ANALYSIS_STATISTICS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/engine.h"

namespace tracekin::analysis {

/// Time in ns by Cause.
using TimeByCause = std::array<Time, static_cast<std::size_t>(Cause::kCount)>;

/// Adds the parts at depth 0.
void AddParts(const std::vector<Part>& parts, TimeByCause* sums);

/// Spans that have something in common.
struct Group {
  std::string service;
  std::string name;  // the operation, thread or value
  std::uint64_t errors = 0;
  std::vector<Time> durations;  // in ascending order
  Time total = 0;
  Time own = 0;
  TimeByCause causes = {};

  /// The shortest duration that is not below a share of all, from 0 to 1: the median is that of
  /// 0.5.
  Time Quantile(double share) const;
};

/// What the spans of a group have in common. Returns the service and the name.
using GroupKey = std::function<std::pair<std::string, std::string>(SpanIndex)>;

/// Explains each of the spans, and groups them. The groups are in the order of their total time,
/// the largest first.
std::vector<Group> GroupSpans(const Engine& engine, const std::vector<SpanIndex>& spans,
                              const GroupKey& key);

/// The key of the service and the operation.
GroupKey ByOperation(const Engine& engine);

/// The key of the service alone, and of the thread that started a span.
GroupKey ByService(const Engine& engine);
GroupKey ByThread(const Engine& engine);

/// How a group has changed from one recording to another. Means are ns for each span.
struct Change {
  std::string service, name;
  const Group* before = nullptr;  // null: it is in one of the recordings only
  const Group* after = nullptr;
  std::array<double, static_cast<std::size_t>(Cause::kCount)> causes = {};  // change of the means

  /// The change of the mean duration.
  double total() const;
};

/// The largest change, up or down, comes first. Points into the groups.
std::vector<Change> Compare(const std::vector<Group>& before, const std::vector<Group>& after);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_STATISTICS_H
