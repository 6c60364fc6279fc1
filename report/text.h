// SPDX-License-Identifier: Apache-2.0
// Formats the results of the analysis as text for a terminal, in lines that end with a line feed.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_REPORT_TEXT_H
#define TRACEKIN_REPORT_TEXT_H

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/contrast.h"
#include "analysis/engine.h"
#include "analysis/statistics.h"
#include "report/style.h"

namespace tracekin::report {

/// Explains the time of a span. Lists the largest causes first. Below each wait, lists the
/// activities of the thread that it waited for. Breaks lines that are wider than the terminal.
std::string Why(const analysis::Engine& engine, analysis::SpanIndex span, const Style& style = {});

enum class Order { kStart, kDuration };

/// Returns a line for each trace that contains some of `spans`. The line shows the root of the
/// trace, or its first span if it does not have a root. It also shows how many of the spans and of
/// their threads the trace contains. Sorts the traces by their start, or by duration in descending
/// order. Returns at most `limit` lines, unless `limit` is 0.
std::string Traces(const analysis::Engine& engine, const std::vector<analysis::SpanIndex>& spans,
                   Order order, std::size_t limit, const Style& style = {});

/// Draws the spans of a trace as a tree that is `width` columns wide. Each span has a bar that
/// shows the activity of its threads. If `ascii` is true, uses only ASCII characters.
std::string Tree(const analysis::Engine& engine, const std::vector<analysis::SpanIndex>& trace,
                 const Style& style = {});

/// What the columns of causes show: the share of the total time, or a quantile of the times of
/// the spans, in ms.
enum class CauseColumns { kShare, kP50, kP95, kP99, kMax };

/// Returns a line for each group: the number of spans, their durations and the causes of their
/// time.
std::string Top(const std::vector<analysis::Group>& groups,
                CauseColumns columns = CauseColumns::kShare, const Style& style = {});

/// Returns a line for each kind of thread that made spans of an operation wait.
std::string Blockers(const std::vector<analysis::Blocking>& blockers, const Style& style = {});

/// Describes how the slow spans of an operation differ from its fast ones: the causes whose time
/// grew, the tags that more of the slow spans have, and what half of the slow spans would gain
/// without the wait that grew most.
std::string SlowAndFast(const analysis::Contrast& contrast, const Style& style = {});

/// Returns a line for each group: the change of its mean duration, and the causes of the change.
std::string Comparison(const std::vector<analysis::Change>& changes, const Style& style = {});

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_TEXT_H
