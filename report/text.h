// SPDX-License-Identifier: Apache-2.0
// The answers of the analysis as text for a terminal, in lines that end with a line feed.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_REPORT_TEXT_H
#define TRACEKIN_REPORT_TEXT_H

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/engine.h"
#include "analysis/statistics.h"

namespace tracekin::report {

/// Where a span's time went: the largest causes first, and below each what was waited for did
/// meanwhile.
std::string Why(const analysis::Engine& engine, analysis::SpanIndex span);

enum class Order { kStart, kDuration };

/// A line for each trace that some of these spans belong to: its root, or else its first span, and
/// how many of the spans and of their threads are in it. In the order of starts, or the longest
/// first; `limit` at most, unless it is 0.
std::string Traces(const analysis::Engine& engine, const std::vector<analysis::SpanIndex>& spans,
                   Order order, std::size_t limit);

/// The spans of a trace as a tree, each with a bar, and what their threads did, `width` columns
/// wide. `ascii`: with characters of ASCII only.
std::string Tree(const analysis::Engine& engine, const std::vector<analysis::SpanIndex>& trace,
                 std::size_t width, bool ascii);

/// A line for each group: how many, how long, and where their time went.
std::string Top(const std::vector<analysis::Group>& groups);

/// A line for each group: how its mean changed, and by which causes.
std::string Comparison(const std::vector<analysis::Change>& changes);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_TEXT_H
