// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/hex.h"
#include "base/json_memory.h"

namespace tracekin::analysis {

namespace {

using Utf8 = rapidjson::UTF8<>;
using Pool = rapidjson::MemoryPoolAllocator<JsonMemory>;
using Document = rapidjson::GenericDocument<Utf8, Pool, JsonMemory>;

bool HasTags(const Filter& filter, const SpanRecord& span) {
  if (filter.tags.empty()) return true;
  const std::map<std::string, std::string> tags = TagsOf(span);
  return std::all_of(filter.tags.begin(), filter.tags.end(), [&](const auto& wanted) {
    const auto found = tags.find(wanted.first);
    return found != tags.end() && found->second == wanted.second;
  });
}

bool InOneTrace(const SpanIds& a, const SpanIds& b) {
  return a.trace_low == b.trace_low && a.trace_high == b.trace_high;
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

void SortByStart(const Spans& spans, std::vector<SpanIndex>* sorted) {
  std::stable_sort(sorted->begin(), sorted->end(),
                   [&](SpanIndex a, SpanIndex b) { return spans[a].start < spans[b].start; });
}

// Returns the root of a span's trace, or its first span if it does not have a root.
SpanIndex RootOf(const Spans& spans, SpanIndex span) {
  const std::vector<SpanIndex> trace = TraceOf(spans, span);
  const auto root = std::find_if(trace.begin(), trace.end(), [&](SpanIndex other) {
    return spans[other].parent == kNoSpan && spans[other].parent_id == 0;
  });
  return root != trace.end() ? *root : trace.front();
}

}  // namespace

std::map<std::string, std::string> TagsOf(const SpanRecord& span) {
  std::map<std::string, std::string> found;
  if (span.tags.empty()) return found;
  Document tags;
  tags.Parse<rapidjson::kParseIterativeFlag>(span.tags.data(), span.tags.size());
  if (tags.HasParseError() || !tags.IsObject()) return found;
  for (const auto& tag : tags.GetObject()) {
    if (!tag.value.IsString()) continue;
    found.emplace(std::string(tag.name.GetString(), tag.name.GetStringLength()),
                  std::string(tag.value.GetString(), tag.value.GetStringLength()));
  }
  return found;
}

bool Passes(const Filter& filter, const Spans& spans, const SpanRecord& span) {
  return (filter.service.empty() || spans.names()[span.service] == filter.service) &&
         (filter.operation.empty() || spans.names()[span.operation] == filter.operation) &&
         (!filter.errors || span.error) && span.end >= filter.since && span.start < filter.until &&
         HasTags(filter, span);
}

std::vector<SpanIndex> Select(const Filter& filter, const Spans& spans) {
  std::vector<SpanIndex> selected;
  for (SpanIndex i = 0; i < spans.all().size(); ++i) {
    if (Passes(filter, spans, spans[i])) selected.push_back(i);
  }
  SortByStart(spans, &selected);
  return selected;
}

std::string SpanIdText(std::uint64_t span_id) {
  std::string text(16, '0');
  EncodeHex(span_id, text.data());
  return text;
}

std::string TraceIdText(const SpanIds& ids) {
  const std::string low = SpanIdText(ids.trace_low);
  return ids.trace_high == 0 ? low : SpanIdText(ids.trace_high) + low;
}

Named FindByPrefix(const Spans& spans, std::string_view prefix) {
  constexpr std::size_t kMaxCandidates = 10;
  Named named;
  std::set<std::string> traces, ids;
  SpanIndex of_trace = kNoSpan, of_span = kNoSpan;
  for (SpanIndex i = 0; i < spans.all().size(); ++i) {
    const std::string trace = TraceIdText(spans[i].ids), id = SpanIdText(spans[i].ids.span);
    if (StartsWith(trace, prefix) && traces.insert(trace).second) of_trace = i;
    if (StartsWith(id, prefix) && ids.insert(id).second) of_span = i;
  }
  if (traces.size() == 1 &&
      (ids.empty() || (ids.size() == 1 && InOneTrace(spans[of_trace].ids, spans[of_span].ids)))) {
    named.is_trace = true;
    named.span = RootOf(spans, of_trace);
  } else if (traces.empty() && ids.size() == 1) {
    named.span = of_span;
  } else {
    ids.insert(traces.begin(), traces.end());
    for (const std::string& id : ids) {
      if (named.candidates.size() < kMaxCandidates) named.candidates.push_back(id);
    }
  }
  return named;
}

std::vector<SpanIndex> TraceOf(const Spans& spans, SpanIndex span) {
  std::vector<SpanIndex> trace;
  for (SpanIndex i = 0; i < spans.all().size(); ++i) {
    if (InOneTrace(spans[i].ids, spans[span].ids)) trace.push_back(i);
  }
  SortByStart(spans, &trace);
  return trace;
}

std::vector<SpanIndex> Roots(const Spans& spans, std::vector<SpanIndex> of, std::size_t count) {
  std::vector<SpanIndex> roots;
  const std::size_t all = of.size();
  for (const SpanIndex span : Slowest(spans, std::move(of), all)) {
    const auto same = [&](SpanIndex root) { return InOneTrace(spans[root].ids, spans[span].ids); };
    if (roots.size() == count) break;
    if (std::none_of(roots.begin(), roots.end(), same)) roots.push_back(RootOf(spans, span));
  }
  return roots;
}

std::vector<SpanIndex> Slowest(const Spans& spans, std::vector<SpanIndex> of, std::size_t count) {
  std::stable_sort(of.begin(), of.end(), [&](SpanIndex a, SpanIndex b) {
    return spans[a].duration() > spans[b].duration();
  });
  if (of.size() > count) of.resize(count);
  return of;
}

}  // namespace tracekin::analysis
