// SPDX-License-Identifier: Apache-2.0
// Durations, ids and names as people read them. Names are made safe for a terminal, because any
// process that is traced chooses its own.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_REPORT_FORMAT_H
#define TRACEKIN_REPORT_FORMAT_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/engine.h"

namespace tracekin::report {

/// With three digits after the point, in the largest unit that leaves one before it: "69.384 ms".
std::string Duration(analysis::Time ns);

/// In ms with two digits after the point: "69.38".
std::string Milliseconds(double ns);

/// As a share of `whole`: "95.7 %".
std::string Percent(analysis::Time part, analysis::Time whole);

/// The time of day in UTC: "14:31:02.114".
std::string TimeOfDay(analysis::Time time);

/// "name/tid", or "?" if the thread is not known.
std::string ThreadName(const analysis::Engine& engine, analysis::ThreadIndex thread);

/// "service: operation".
std::string SpanName(const analysis::Engine& engine, analysis::SpanIndex span);

/// The first eight digits of a span's id.
std::string ShortSpanId(const analysis::Engine& engine, analysis::SpanIndex span);

/// How many columns of a terminal UTF-8 text takes, if no character takes two.
std::size_t Columns(std::string_view text);

/// Text filled up to a number of columns, or cut at it.
std::string Fit(std::string_view text, std::size_t columns);

/// Rows of cells, each column as wide as its widest cell. The first row is the heading. Numbers
/// stand at the right: `left` has the columns that do not hold any.
std::string Table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& left);

}  // namespace tracekin::report

#endif  // TRACEKIN_REPORT_FORMAT_H
