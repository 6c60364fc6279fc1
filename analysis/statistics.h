// SPDX-License-Identifier: Apache-2.0
// Sums up the time of many spans, grouped by operation, service, thread or tag.
//
// Thread-safety: const functions may run on several threads. The others need one thread.
#ifndef TRACEKIN_ANALYSIS_STATISTICS_H
#define TRACEKIN_ANALYSIS_STATISTICS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/engine.h"

namespace tracekin::analysis {

constexpr std::size_t kCauses = static_cast<std::size_t>(Cause::kCount);

/// Time in ns by Cause.
using TimeByCause = std::array<Time, kCauses>;

/// Returns the sums of the times of the parts at depth 0.
TimeByCause SumByCause(const std::vector<Part>& parts);

/// Returns the sum of several causes.
Time Sum(const TimeByCause& times, const std::vector<Cause>& causes);

/// Returns the shortest of the sorted times that is at least as long as a share of all of them.
/// `share` is between 0 and 1; 0.5 yields the median. Returns 0 if there are no times.
Time Quantile(const std::vector<Time>& sorted, double share);

/// A group of spans that have the same key.
struct Group {
  std::string service;
  std::string name;  // the operation, thread or value
  std::uint64_t errors = 0;
  std::vector<Time> durations;  // in ascending order
  Time total = 0;
  Time own = 0;
  TimeByCause causes = {};
  std::vector<TimeByCause> times;  // of each span

  Time Quantile(double share) const { return analysis::Quantile(durations, share); }

  /// Returns the quantile of the time that the spans spent on some causes together.
  Time Quantile(double share, const std::vector<Cause>& of) const;
};

/// Returns the key of a span's group: the service and the name.
using GroupKey = std::function<std::pair<std::string, std::string>(SpanIndex)>;

/// Groups spans by a key.
class Groups {
 public:
  Groups(const Engine& engine, GroupKey key) : engine_(engine), key_(std::move(key)) {}

  void Add(SpanIndex span, const Explanation& explanation);

  /// Returns the groups, sorted by their total time in descending order. Must be called once.
  std::vector<Group> Take();

 private:
  const Engine& engine_;
  const GroupKey key_;
  std::map<std::pair<std::string, std::string>, Group> groups_;
};

/// Returns a key of the service and the operation.
GroupKey ByOperation(const Engine& engine);

/// Return a key of the service, and a key of the thread that started a span.
GroupKey ByService(const Engine& engine);
GroupKey ByThread(const Engine& engine);
GroupKey ByTag(const Engine& engine, const std::string& key);

/// The change of a group from one recording to another. Means are in ns per span.
struct Change {
  std::string service, name;
  const Group* before = nullptr;  // null if the first recording does not contain the group
  const Group* after = nullptr;
  std::array<double, kCauses> causes = {};  // change of the means

  /// Returns the change of the mean duration.
  double total() const;
};

/// Compares the groups of two recordings. Sorts the result by the absolute value of the change, the
/// largest first. The result points into the groups.
std::vector<Change> Compare(const std::vector<Group>& before, const std::vector<Group>& after);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_STATISTICS_H
