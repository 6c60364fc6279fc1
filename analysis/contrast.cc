// SPDX-License-Identifier: Apache-2.0
#include "analysis/contrast.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/selection.h"
#include "analysis/statistics.h"

namespace tracekin::analysis {

namespace {

constexpr double kSlow = 0.95, kFast = 0.5;  // quantiles of the durations

struct Times {
  bool waits = false;
  std::vector<Time> slow;  // of each slow span that has the cause
  Time slow_sum = 0, fast_sum = 0;
};

double Ratio(Time sum, std::size_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

// Returns the time that at least half of `count` spans reach. The spans that `times` does not
// contain count as 0.
Time HalfReach(std::vector<Time> times, std::size_t count) {
  const std::size_t rank = (count + 1) / 2;
  if (times.size() < rank) return 0;
  std::sort(times.rbegin(), times.rend());
  return times[rank - 1];
}

std::map<std::string, std::pair<Time, bool>> SumByPhrase(const std::vector<Part>& parts,
                                                         const Phraser& phraser) {
  std::map<std::string, std::pair<Time, bool>> sums;
  for (const Part& part : parts) {
    auto& [time, waits] = sums[phraser(part)];
    time += part.length();
    waits = part.cause != Cause::kRunning && part.cause != Cause::kUnknown;
  }
  return sums;
}

using Tag = std::pair<std::string, std::string>;

// Adds the tags that are more frequent among the slow spans.
void AddTags(const std::map<Tag, std::pair<std::size_t, std::size_t>>& counts, Contrast* contrast) {
  for (const auto& [tag, count] : counts) {
    const TagOfSlow shares = {tag.first, tag.second, Ratio(count.first, contrast->slow),
                              Ratio(count.second, contrast->fast)};
    if (shares.slow > shares.fast) contrast->tags.push_back(shares);
  }
  std::stable_sort(
      contrast->tags.begin(), contrast->tags.end(),
      [](const TagOfSlow& a, const TagOfSlow& b) { return a.slow - a.fast > b.slow - b.fast; });
}

bool MakesWait(const Part& part) { return IsThread(part.by) && part.by != part.thread; }

}  // namespace

Explained DirectParts(SpanIndex span, const Explanation& explanation) {
  Explained explained = {span, {}};
  for (const Part& part : explanation.parts) {
    if (part.depth == 0) explained.second.push_back(part);
  }
  return explained;
}

Contrast CompareSlow(const Engine& engine, std::vector<Explained> spans, const Phraser& phraser) {
  const auto duration = [&](const Explained& span) {
    return engine.spans()[span.first].duration();
  };
  Contrast contrast;
  const SpanRecord& first = engine.spans()[spans.front().first];
  contrast.service = engine.spans().names()[first.service];
  contrast.operation = engine.spans().names()[first.operation];
  contrast.spans = spans.size();
  std::vector<Time> durations;
  for (const Explained& span : spans) durations.push_back(duration(span));
  std::sort(durations.begin(), durations.end());
  contrast.fastest_slow = Quantile(durations, kSlow);
  contrast.slowest_fast = Quantile(durations, kFast);
  if (contrast.slowest_fast == contrast.fastest_slow) return contrast;
  std::map<std::string, Times> times;
  std::map<Tag, std::pair<std::size_t, std::size_t>> tags;
  Time slow_sum = 0, fast_sum = 0;
  for (const Explained& span : spans) {
    const bool slow = duration(span) >= contrast.fastest_slow;
    if (!slow && duration(span) > contrast.slowest_fast) continue;
    ++(slow ? contrast.slow : contrast.fast);
    (slow ? slow_sum : fast_sum) += duration(span);
    for (const auto& tag : TagsOf(engine.spans()[span.first])) {
      ++(slow ? tags[tag].first : tags[tag].second);
    }
    for (const auto& [phrase, time] : SumByPhrase(span.second, phraser)) {
      Times& of = times[phrase];
      of.waits = time.second;
      (slow ? of.slow_sum : of.fast_sum) += time.first;
      if (slow) of.slow.push_back(time.first);
    }
  }
  contrast.slow_mean = Ratio(slow_sum, contrast.slow);
  contrast.fast_mean = Ratio(fast_sum, contrast.fast);
  for (const auto& [phrase, of] : times) {
    contrast.causes.push_back({phrase, of.waits, Ratio(of.slow_sum, contrast.slow),
                               Ratio(of.fast_sum, contrast.fast),
                               HalfReach(of.slow, contrast.slow)});
  }
  std::stable_sort(
      contrast.causes.begin(), contrast.causes.end(),
      [](const CauseOfSlow& a, const CauseOfSlow& b) { return a.growth() > b.growth(); });
  AddTags(tags, &contrast);
  return contrast;
}

std::vector<Blocking> FindBlockers(const Engine& engine, const std::vector<Explained>& spans) {
  const Spans& records = engine.spans();
  const auto operation_of = [&](SpanIndex span) {
    if (span == kNoSpan) return std::pair<std::string, std::string>();
    return std::pair(std::string(records.names()[records[span].service]),
                     std::string(records.names()[records[span].operation]));
  };
  using Operation = std::pair<std::string, std::string>;
  std::map<std::tuple<Operation, Operation, std::string, Cause>, Blocking> sums;
  for (const auto& [span, parts] : spans) {
    for (const Part& part : parts) {
      if (!MakesWait(part)) continue;
      const Operation of = operation_of(span), by = operation_of(part.by_span);
      const std::string thread(engine.timelines().names[engine.timelines().threads[part.by].name]);
      Blocking& blocking = sums[{of, by, thread, part.cause}];
      blocking = {of.first,
                  of.second,
                  by.first,
                  by.second,
                  thread,
                  part.cause,
                  blocking.count + 1,
                  blocking.total + part.length(),
                  std::max(blocking.longest, part.length())};
    }
  }
  std::vector<Blocking> sorted;
  for (auto& [key, blocking] : sums) sorted.push_back(std::move(blocking));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Blocking& a, const Blocking& b) { return a.total > b.total; });
  return sorted;
}

}  // namespace tracekin::analysis
