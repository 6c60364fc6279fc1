// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/selection.h"

namespace tracekin::analysis {

namespace {

using Name = std::pair<std::string, std::string>;

double Mean(const Group* group, std::size_t cause) {
  if (group == nullptr || group->durations.empty()) return 0;
  return static_cast<double>(group->causes[cause]) / static_cast<double>(group->durations.size());
}

}  // namespace

TimeByCause SumByCause(const std::vector<Part>& parts) {
  TimeByCause sums = {};
  for (const Part& part : parts) {
    if (part.depth == 0) sums[static_cast<std::size_t>(part.cause)] += part.length();
  }
  return sums;
}

Time Quantile(const std::vector<Time>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Time Sum(const TimeByCause& times, const std::vector<Cause>& causes) {
  Time sum = 0;
  for (const Cause cause : causes) sum += times[static_cast<std::size_t>(cause)];
  return sum;
}

Time Group::Quantile(double share, const std::vector<Cause>& of) const {
  std::vector<Time> sums;
  sums.reserve(times.size());
  for (const TimeByCause& span : times) sums.push_back(Sum(span, of));
  std::sort(sums.begin(), sums.end());
  return analysis::Quantile(sums, share);
}

void Groups::Add(SpanIndex index, const Explanation& explanation) {
  const SpanRecord& span = engine_.spans()[index];
  const Name name = key_(index);
  Group& group = groups_[name];
  group.service = name.first;
  group.name = name.second;
  group.errors += span.error ? 1 : 0;
  group.durations.push_back(span.duration());
  group.total += span.duration();
  group.own += explanation.own;
  const TimeByCause sums = SumByCause(explanation.parts);
  for (std::size_t cause = 0; cause < kCauses; ++cause) group.causes[cause] += sums[cause];
  group.times.push_back(sums);
}

std::vector<Group> Groups::Take() {
  std::vector<Group> sorted;
  for (auto& [name, group] : groups_) {
    std::sort(group.durations.begin(), group.durations.end());
    sorted.push_back(std::move(group));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Group& a, const Group& b) { return a.total > b.total; });
  return sorted;
}

GroupKey ByOperation(const Engine& engine) {
  return [&engine](SpanIndex span) {
    const Names& names = engine.spans().names();
    return Name(names[engine.spans()[span].service], names[engine.spans()[span].operation]);
  };
}

GroupKey ByService(const Engine& engine) {
  return [&engine](SpanIndex span) {
    return Name(engine.spans().names()[engine.spans()[span].service], "");
  };
}

GroupKey ByThread(const Engine& engine) {
  return [&engine](SpanIndex index) {
    const SpanRecord& span = engine.spans()[index];
    const ThreadIndex thread = IsThread(span.start_thread) ? span.start_thread : span.finish_thread;
    std::string name = "?";
    if (IsThread(thread)) {
      const Thread& known = engine.timelines().threads[thread];
      name = std::string(engine.timelines().names[known.name]) + '/' + std::to_string(known.tid);
    }
    return Name(engine.spans().names()[span.service], name);
  };
}

GroupKey ByTag(const Engine& engine, const std::string& key) {
  return [&engine, key](SpanIndex index) {
    const SpanRecord& span = engine.spans()[index];
    const auto tags = TagsOf(span);
    const auto tag = tags.find(key);
    return Name(engine.spans().names()[span.service], tag == tags.end() ? "" : tag->second);
  };
}

double Change::total() const { return std::accumulate(causes.begin(), causes.end(), 0.0); }

std::vector<Change> Compare(const std::vector<Group>& before, const std::vector<Group>& after) {
  std::map<Name, Change> changes;
  for (const Group& group : before) changes[{group.service, group.name}].before = &group;
  for (const Group& group : after) changes[{group.service, group.name}].after = &group;
  std::vector<Change> sorted;
  for (auto& [name, change] : changes) {
    change.service = name.first;
    change.name = name.second;
    for (std::size_t cause = 0; cause < change.causes.size(); ++cause) {
      change.causes[cause] = Mean(change.after, cause) - Mean(change.before, cause);
    }
    sorted.push_back(std::move(change));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Change& a, const Change& b) {
    return std::abs(a.total()) > std::abs(b.total());
  });
  return sorted;
}

}  // namespace tracekin::analysis
