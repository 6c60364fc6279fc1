// SPDX-License-Identifier: Apache-2.0
// Selects the spans of a query, by filters and by ids in text form.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_ANALYSIS_SELECTION_H
#define TRACEKIN_ANALYSIS_SELECTION_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/spans.h"

namespace tracekin::analysis {

/// Conditions for spans. A condition that is empty accepts every span.
struct Filter {
  std::string service;
  std::string operation;
  std::vector<std::pair<std::string, std::string>> tags;  // keys and values; all must match
  bool errors = false;                                    // only spans with an error
  Time since = 0;                                         // only spans that end at or after this
  Time until = ~Time{0};                                  // only spans that start before this
};

/// Returns the tags that the span had at its finish, by key.
std::map<std::string, std::string> TagsOf(const SpanRecord& span);

/// Returns whether `span` meets all conditions of the filter. Tags are compared with the tags that
/// the span had at its finish.
bool Passes(const Filter& filter, const Spans& spans, const SpanRecord& span);

/// Returns the spans that meet all conditions of the filter, sorted by their start.
std::vector<SpanIndex> Select(const Filter& filter, const Spans& spans);

/// Return ids in the format of Zipkin. A trace id has 32 digits, or 16 if the high half is 0.
std::string TraceIdText(const SpanIds& ids);
std::string SpanIdText(std::uint64_t span_id);

/// The span or the trace that an id, or the beginning of an id, identifies.
struct Named {
  SpanIndex span = kNoSpan;             // the span; for a trace its root, or its first span
  bool is_trace = false;                // true if the id is the id of a trace
  std::vector<std::string> candidates;  // at most ten matching ids, if it is ambiguous
};

/// Finds the span or the trace whose id begins with `prefix`. If the id belongs to a trace and to a
/// span, which is common for root spans, returns the root of the trace.
Named FindByPrefix(const Spans& spans, std::string_view prefix);

/// Returns the spans of the trace that contains `span`, sorted by their start.
std::vector<SpanIndex> TraceOf(const Spans& spans, SpanIndex span);

/// Returns the roots of the `count` traces that contain the longest of the spans `of`, in
/// descending order of these spans' durations. Uses the first span of a trace if it does not have a
/// root.
std::vector<SpanIndex> Roots(const Spans& spans, std::vector<SpanIndex> of, std::size_t count);

/// Returns the `count` longest of the spans `of`, the longest first.
std::vector<SpanIndex> Slowest(const Spans& spans, std::vector<SpanIndex> of, std::size_t count);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_SELECTION_H
