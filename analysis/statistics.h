// SPDX-License-Identifier: Apache-2.0
// Sums up the time of many spans, grouped by operation, service, thread or tag.
//
// Thread-safety: the functions only access their arguments.
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

/// Adds the times of the parts at depth 0 to `sums`.
void AddParts(const std::vector<Part>& parts, TimeByCause* sums);

/// A group of spans that have the same key.
struct Group {
  std::string service;
  std::string name;  // the operation, thread or value
  std::uint64_t errors = 0;
  std::vector<Time> durations;  // in ascending order
  Time total = 0;
  Time own = 0;
  TimeByCause causes = {};

  /// Returns the shortest duration that is at least as long as a share of all durations. `share` is
  /// between 0 and 1; 0.5 yields the median.
  Time Quantile(double share) const;
};

/// Returns the key of a span's group: the service and the name.
using GroupKey = std::function<std::pair<std::string, std::string>(SpanIndex)>;

/// Explains each of the spans and groups them. Sorts the groups by their total time in descending
/// order.
std::vector<Group> GroupSpans(const Engine& engine, const std::vector<SpanIndex>& spans,
                              const GroupKey& key);

/// Returns a key of the service and the operation.
GroupKey ByOperation(const Engine& engine);

/// Return a key of the service, and a key of the thread that started a span.
GroupKey ByService(const Engine& engine);
GroupKey ByThread(const Engine& engine);

/// The change of a group from one recording to another. Means are in ns per span.
struct Change {
  std::string service, name;
  const Group* before = nullptr;  // null if the first recording does not contain the group
  const Group* after = nullptr;
  std::array<double, static_cast<std::size_t>(Cause::kCount)> causes = {};  // change of the means

  /// Returns the change of the mean duration.
  double total() const;
};

/// Compares the groups of two recordings. Sorts the result by the absolute value of the change, the
/// largest first. The result points into the groups.
std::vector<Change> Compare(const std::vector<Group>& before, const std::vector<Group>& after);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_STATISTICS_H
