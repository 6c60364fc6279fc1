// SPDX-License-Identifier: Apache-2.0
// Implements Traces(), Top() and Comparison().
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/selection.h"
#include "base/terminal.h"
#include "report/format.h"
#include "report/text.h"

namespace tracekin::report {

namespace {

using analysis::Cause;
using analysis::Engine;
using analysis::Group;
using analysis::SpanIndex;
using analysis::SpanRecord;
using analysis::Time;
using analysis::TimeByCause;

// A column of a table. It shows the sum of the times of these causes.
struct Column {
  const char* title;
  std::vector<Cause> causes;
};

const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = {{"on cpu", {Cause::kRunning, Cause::kInterrupted}},
                                              {"ready", {Cause::kPreempted, Cause::kReady}},
                                              {"lock", {Cause::kLock}},
                                              {"thread", {Cause::kThread, Cause::kChild}},
                                              {"disk", {Cause::kDisk, Cause::kFault}},
                                              {"net", {Cause::kNetwork}},
                                              {"timer", {Cause::kTimer}},
                                              {"input", {Cause::kInput}},
                                              {"unknown", {Cause::kUnknown}}};
  return columns;
}

std::string Share(Time part, Time whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return std::to_string(std::lround(100 * share)) + " %";
}

std::string Ms(Time time) { return Milliseconds(static_cast<double>(time)); }

std::string Signed(double ns) { return (ns > 0 ? "+" : "") + Milliseconds(ns); }

}  // namespace

std::string Traces(const Engine& engine, const std::vector<SpanIndex>& spans, Order by,
                   std::size_t limit, const Style& style) {
  struct Trace {
    Time start = ~Time{0}, end = 0;
    std::uint64_t spans = 0, errors = 0;
    std::set<analysis::ThreadIndex> threads;
    SpanIndex root = analysis::kNoSpan;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Trace> traces;
  std::vector<const Trace*> order;
  for (const SpanIndex index : spans) {
    const SpanRecord& span = engine.spans()[index];
    const auto [found, is_new] = traces.try_emplace({span.ids.trace_high, span.ids.trace_low});
    Trace& trace = found->second;
    if (is_new) order.push_back(&trace);
    if (trace.root == analysis::kNoSpan || span.parent_id == 0) trace.root = index;
    trace.start = std::min(trace.start, span.start);
    trace.end = std::max(trace.end, span.end);
    ++trace.spans;
    trace.errors += span.error ? 1 : 0;
    trace.threads.insert(span.start_thread);
    for (const auto& scope : span.scopes) trace.threads.insert(scope.thread);
  }
  if (by == Order::kDuration) {
    std::stable_sort(order.begin(), order.end(), [](const Trace* a, const Trace* b) {
      return a->end - a->start > b->end - b->start;
    });
  }
  if (limit != 0 && limit < order.size()) order.resize(limit);
  std::vector<std::vector<std::string>> rows = {
      {"TRACE", "START", "ms", "SPANS", "THREADS", "ERR", "ROOT"}};
  for (const Trace* trace : order) {
    rows.push_back({analysis::TraceIdText(engine.spans()[trace->root].ids), TimeOfDay(trace->start),
                    Milliseconds(static_cast<double>(trace->end - trace->start)),
                    std::to_string(trace->spans), std::to_string(trace->threads.size()),
                    std::to_string(trace->errors), SpanName(engine, trace->root)});
  }
  return Table(rows, {0, 6}, style);
}

std::string Top(const std::vector<Group>& groups, const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"SERVICE", "OPERATION", "COUNT", "ERR", "p50 ms", "p95 ms", "max ms", "total ms", "own %"}};
  for (const Column& column : Columns()) rows[0].push_back(column.title);
  for (const Group& group : groups) {
    rows.push_back({ForTerminal(group.service), ForTerminal(group.name),
                    std::to_string(group.durations.size()), std::to_string(group.errors),
                    Ms(group.Quantile(0.5)), Ms(group.Quantile(0.95)), Ms(group.Quantile(1)),
                    Ms(group.total), Share(group.own, group.total)});
    for (const Column& column : Columns()) {
      Time sum = 0;
      for (const Cause cause : column.causes) sum += group.causes[static_cast<std::size_t>(cause)];
      rows.back().push_back(Share(sum, group.total));
    }
  }
  return Table(rows, {0, 1}, style);
}

std::string Comparison(const std::vector<analysis::Change>& changes, const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"SERVICE", "OPERATION", "BEFORE", "AFTER", "p95 ms", "p95 ms", "mean ms"}};
  for (const Column& column : Columns()) rows[0].push_back(column.title);
  for (const analysis::Change& change : changes) {
    const auto count = [](const Group* group) {
      return std::to_string(group == nullptr ? 0 : group->durations.size());
    };
    const auto p95 = [](const Group* group) {
      return group == nullptr ? "-" : Ms(group->Quantile(0.95));
    };
    rows.push_back({ForTerminal(change.service), ForTerminal(change.name), count(change.before),
                    count(change.after), p95(change.before), p95(change.after),
                    Signed(change.total())});
    for (const Column& column : Columns()) {
      double sum = 0;
      for (const Cause cause : column.causes) sum += change.causes[static_cast<std::size_t>(cause)];
      rows.back().push_back(Signed(sum));
    }
  }
  return Table(rows, {0, 1}, style);
}

}  // namespace tracekin::report
