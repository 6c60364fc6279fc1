// SPDX-License-Identifier: Apache-2.0
// Compares spans within a recording: the slow spans of an operation with its fast ones, and the
// threads that made others wait with those that waited.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_ANALYSIS_CONTRAST_H
#define TRACEKIN_ANALYSIS_CONTRAST_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/engine.h"

namespace tracekin::analysis {

/// Returns a phrase for the cause of a part, which is equal for all parts that add up to one cause.
using Phraser = std::function<std::string(const Part&)>;

/// A cause of time of slow spans. Means are in ns per span.
struct CauseOfSlow {
  std::string phrase;
  bool waits = false;  // true if the thread did not run in that time
  double slow_mean = 0, fast_mean = 0;
  Time half = 0;  // half of the slow spans spent at least this time on it

  double growth() const { return slow_mean - fast_mean; }
};

/// The share of spans that have a tag, between 0 and 1.
struct TagOfSlow {
  std::string key, value;
  double slow = 0, fast = 0;
};

/// The slow spans of an operation, which are the slowest twentieth, compared with the fast ones,
/// which are the faster half.
struct Contrast {
  std::string service, operation;
  std::size_t spans = 0, slow = 0, fast = 0;
  Time slowest_fast = 0, fastest_slow = 0;
  double slow_mean = 0, fast_mean = 0;  // of the durations
  std::vector<CauseOfSlow> causes;      // the largest growth first
  std::vector<TagOfSlow> tags;          // those that more of the slow spans have; the largest
                                        // difference first
};

/// A span and the parts of its time at depth 0.
using Explained = std::pair<SpanIndex, std::vector<Part>>;

/// Returns a span and the parts of its explanation at depth 0.
Explained DirectParts(SpanIndex span, const Explanation& explanation);

/// Compares the spans of one operation. Returns a Contrast without slow spans if all spans take the
/// same time. REQUIRES: `spans` is not empty.
Contrast CompareSlow(const Engine& engine, std::vector<Explained> spans, const Phraser& phraser);

/// How long the threads of one name and operation made the spans of one operation wait.
struct Blocking {
  std::string service, operation;        // of the spans that waited
  std::string by_service, by_operation;  // of the span that the thread worked for, or ""
  std::string thread;                    // the name of the thread that was waited for
  Cause cause = Cause::kUnknown;
  std::uint64_t count = 0;
  Time total = 0, longest = 0;
};

/// Returns who made the spans wait, directly. Waits for a thread that has the processor count, too.
/// Sorts the result by total time in descending order.
std::vector<Blocking> FindBlockers(const Engine& engine, const std::vector<Explained>& spans);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_CONTRAST_H
