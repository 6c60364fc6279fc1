// SPDX-License-Identifier: Apache-2.0
// Formats durations, ids and names for people. Makes names safe for a terminal, because every
// traced process chooses its own name.
//
// Thread-safety: the functions only access their arguments.
#ifndef TRACEKIN_REPORT_FORMAT_H
#define TRACEKIN_REPORT_FORMAT_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cause.h"
#include "analysis/engine.h"
#include "report/style.h"

namespace tracekin::report {

/// Returns a duration with three decimals, such as "69.384 ms". Uses the largest unit in which it
/// is at least 1.
std::string Duration(analysis::Time ns);

/// Returns a duration in ms with two decimals: "69.38".
std::string Milliseconds(double ns);

/// Returns `part` as a share of `whole`: "95.7 %".
std::string Percent(analysis::Time part, analysis::Time whole);

/// Returns the time of day in UTC: "14:31:02.114".
std::string TimeOfDay(analysis::Time time);

/// Returns "name/tid", or "?" if the thread is unknown.
std::string ThreadName(const analysis::Engine& engine, analysis::ThreadIndex thread);

/// Returns "service: operation".
std::string SpanName(const analysis::Engine& engine, analysis::SpanIndex span);

/// Returns the first eight digits of a span's id.
std::string ShortSpanId(const analysis::Engine& engine, analysis::SpanIndex span);

/// Returns the number of terminal columns that UTF-8 text needs, if no character needs two.
std::size_t Columns(std::string_view text);

/// Pads or cuts `text` to a number of columns.
std::string Fit(std::string_view text, std::size_t columns);

/// The kinds of causes that colours and drawings distinguish.
enum class Look { kRuns, kReady, kWaits, kUnknown, kCount };

Look LookOf(analysis::Cause cause);
Tint TintOf(Look look);

/// Formats rows of cells as a table. The first row is the heading. Each column is as wide as its
/// widest cell. Aligns cells to the right, except in the columns that `left` lists, which do not
/// contain numbers.
std::string Table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& left, const Style& style = {});

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_FORMAT_H
