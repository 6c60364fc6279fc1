// SPDX-License-Identifier: Apache-2.0
// Implements the functions that return tables.
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

std::string Percentage(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::string Share(Time part, Time whole) {
  return Percentage(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole));
}

std::string Ms(Time time) { return Milliseconds(static_cast<double>(time)); }

std::string Signed(double ns) { return (ns > 0 ? "+" : "") + Milliseconds(ns); }

std::string CauseCell(const Group& group, const Column& column, CauseColumns columns) {
  static constexpr double kShares[] = {0, 0.5, 0.95, 0.99, 1};
  if (columns == CauseColumns::kShare) {
    return Share(analysis::Sum(group.causes, column.causes), group.total);
  }
  return Ms(group.Quantile(kShares[static_cast<std::size_t>(columns)], column.causes));
}

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

std::string Top(const std::vector<Group>& groups, CauseColumns columns, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"SERVICE", "OPERATION", "COUNT", "ERR", "p50 ms",
                                                 "p95 ms", "p99 ms", "max ms", "total ms",
                                                 "own %"}};
  for (const Column& column : Columns()) rows[0].push_back(column.title);
  for (const Group& group : groups) {
    rows.push_back({ForTerminal(group.service), ForTerminal(group.name),
                    std::to_string(group.durations.size()), std::to_string(group.errors),
                    Ms(group.Quantile(0.5)), Ms(group.Quantile(0.95)), Ms(group.Quantile(0.99)),
                    Ms(group.Quantile(1)), Ms(group.total), Share(group.own, group.total)});
    for (const Column& column : Columns()) {
      rows.back().push_back(CauseCell(group, column, columns));
    }
  }
  return Table(rows, {0, 1}, style);
}

std::string Blockers(const std::vector<analysis::Blocking>& blockers, const Style& style) {
  const auto name = [](const std::string& service, const std::string& operation) {
    return service.empty() && operation.empty()
               ? std::string()
               : ForTerminal(service) + ": " + ForTerminal(operation);
  };
  std::vector<std::vector<std::string>> rows = {
      {"SPANS", "CAUSE", "THREAD", "THAT WORKED FOR", "COUNT", "total ms", "max ms"}};
  for (const analysis::Blocking& each : blockers) {
    rows.push_back({name(each.service, each.operation), Word(each.cause), ForTerminal(each.thread),
                    name(each.by_service, each.by_operation), std::to_string(each.count),
                    Ms(each.total), Ms(each.longest)});
  }
  return Table(rows, {0, 1, 2, 3}, style);
}

std::string SlowAndFast(const analysis::Contrast& contrast, const Style& style) {
  constexpr std::size_t kMostCauses = 6, kMostTags = 5;
  constexpr double kLeastShare = 0.01;  // of the growth of the mean
  const std::string name = ForTerminal(contrast.service) + ": " + ForTerminal(contrast.operation);
  std::string text =
      Tinted(name + ", " + std::to_string(contrast.spans) + " spans", Tint::kBold, style) + '\n';
  if (contrast.slow == 0) return text + "all of them take the same time\n";
  text += "slow: " + std::to_string(contrast.slow) + " from " + Duration(contrast.fastest_slow) +
          ", mean " + Milliseconds(contrast.slow_mean) +
          " ms; fast: " + std::to_string(contrast.fast) + " up to " +
          Duration(contrast.slowest_fast) + ", mean " + Milliseconds(contrast.fast_mean) + " ms\n";
  const double least = kLeastShare * (contrast.slow_mean - contrast.fast_mean);
  std::vector<std::vector<std::string>> rows = {{"slow ms", "fast ms", "change", "CAUSE"}};
  for (const analysis::CauseOfSlow& cause : contrast.causes) {
    if (rows.size() > kMostCauses || cause.growth() < least) break;
    rows.push_back({Milliseconds(cause.slow_mean), Milliseconds(cause.fast_mean),
                    Signed(cause.growth()), cause.phrase});
  }
  text += Table(rows, {3}, style);
  rows = {{"of slow", "of fast", "change", "TAG"}};
  for (const analysis::TagOfSlow& tag : contrast.tags) {
    if (rows.size() > kMostTags) break;
    rows.push_back({Percentage(tag.slow), Percentage(tag.fast),
                    "+" + Percentage(tag.slow - tag.fast),
                    ForTerminal(tag.key) + '=' + ForTerminal(tag.value)});
  }
  if (rows.size() > 1) text += Table(rows, {3}, style);
  const auto wait = std::find_if(contrast.causes.begin(), contrast.causes.end(),
                                 [](const auto& cause) { return cause.waits && cause.half > 0; });
  if (wait == contrast.causes.end() || wait->growth() < least) return text;
  return text + "without this, half of the slow spans would be at least " + Duration(wait->half) +
         " shorter: " + wait->phrase + '\n';
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
