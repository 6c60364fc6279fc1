// SPDX-License-Identifier: Apache-2.0
// Which spans a question is about: filters, and ids as people write them.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_ANALYSIS_SELECTION_H
#define TRACEKIN_ANALYSIS_SELECTION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/spans.h"

namespace tracekin::analysis {

/// What is empty lets every span pass.
struct Filter {
  std::string service;
  std::string operation;
  std::vector<std::pair<std::string, std::string>> tags;  // key, value: all of them
  bool errors = false;                                    // only spans with an error
  Time since = 0;                                         // spans that end at this time or later,
  Time until = ~Time{0};                                  // and start before this one
};

/// Whether the filter lets the span pass. A tag is compared with those of the span's finish.
bool Passes(const Filter& filter, const Spans& spans, const SpanRecord& span);

/// The spans that pass, by their start.
std::vector<SpanIndex> Select(const Filter& filter, const Spans& spans);

/// Ids as Zipkin shows them: 32 digits, or 16 if the high half is 0.
std::string TraceIdText(const SpanIds& ids);
std::string SpanIdText(std::uint64_t span_id);

/// What an id, or the beginning of one, stands for.
struct Named {
  SpanIndex span = kNoSpan;             // the one span; of a trace its root, or else its first span
  bool is_trace = false;                // the id is a trace's
  std::vector<std::string> candidates;  // several ids begin so: ten of them at most
};

/// An id that is a trace's and a span's, as that of a root often is, stands for the trace's root.
Named FindByPrefix(const Spans& spans, std::string_view prefix);

/// The spans of the trace that `span` belongs to, by their start.
std::vector<SpanIndex> TraceOf(const Spans& spans, SpanIndex span);

/// The root, or else the first span, of each of the `count` traces that the longest of some spans
/// belong to, the longest first.
std::vector<SpanIndex> Roots(const Spans& spans, std::vector<SpanIndex> of, std::size_t count);

/// The `count` longest of some spans, the longest first.
std::vector<SpanIndex> Slowest(const Spans& spans, std::vector<SpanIndex> of, std::size_t count);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_SELECTION_H
