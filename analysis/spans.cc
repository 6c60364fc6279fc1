// SPDX-License-Identifier: Apache-2.0
#include "analysis/spans.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tracekin::analysis {

namespace {

std::uint64_t Unsigned(std::int64_t number) {
  return number == kAbsent ? 0 : static_cast<std::uint64_t>(number);
}

Severity ToSeverity(std::int64_t number) {
  return number >= kDebug && number <= kSevere ? static_cast<Severity>(number) : kDebug;
}

// Removes the last occurrence of `span`, which need not be the last element.
void RemoveLast(std::vector<SpanIndex>* spans, SpanIndex span) {
  const auto last = std::find(spans->rbegin(), spans->rend(), span);
  if (last != spans->rend()) spans->erase(std::next(last).base());
}

void AppendTag(std::string_view key, std::string_view value, std::string* tags) {
  const auto append = [&](std::string_view text) {
    *tags += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') *tags += '\\';
      *tags += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    *tags += '"';
  };
  if (tags->empty()) *tags = "{}";
  tags->pop_back();
  if (tags->size() > 1) *tags += ',';
  append(key);
  *tags += ':';
  append(value);
  *tags += '}';
}

}  // namespace

std::size_t Spans::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.trace_low ^ key.span * 0x9E3779B97F4A7C15 ^ key.trace_high;
  hash ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.pid)) << 16 | key.host;
  hash ^= hash >> 33;
  hash *= 0xFF51AFD7ED558CCD;
  return hash ^ hash >> 33;
}

Spans::Work* Spans::WorkOf(ThreadIndex thread) {
  if (!IsThread(thread)) return nullptr;
  if (thread >= works_.size()) works_.resize(thread + 1);
  return &works_[thread];
}

// Records the span that the thread works for from `now` on.
void Spans::Note(Work* work, Time now) {
  SpanIndex span = kNoSpan;
  if (!work->scopes.empty()) {
    span = work->scopes.back();
  } else if (!work->started.empty()) {
    span = work->started.back();
  }
  if (!work->past.empty() && work->past.back().start == now) work->past.pop_back();
  work->past.push_back({now, span});
}

SpanIndex Spans::FindOrMake(const Event& event, Time now) {
  const Key key{Unsigned(event.number[Span::kTraceHigh]), Unsigned(event.number[Span::kTraceLow]),
                Unsigned(event.number[Span::kSpan]), event.pid, event.host};
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) return known->second;
  if (spans_.size() >= limits_.spans) {
    ++counts_.spans_refused;
    return kNoSpan;
  }
  const auto made = static_cast<SpanIndex>(spans_.size());
  by_key_.emplace(key, made);
  spans_.emplace_back();
  SpanRecord& span = spans_.back();
  span.ids = {key.trace_high, key.trace_low, key.span};
  span.start = span.end = now;
  span.pid = event.pid;
  span.host = event.host;
  return made;
}

void Spans::TakeTexts(const Event& event, SpanRecord* span) {
  const auto take = [&](int text, std::uint32_t* name) {
    if (!event.text[text].empty()) *name = names_.Number(event.text[text]);
  };
  take(Span::kOperation, &span->operation);
  take(Span::kService, &span->service);
  take(Span::kSpanKind, &span->kind);
  const std::int64_t parent = event.number[Span::kParent];
  if (parent != kAbsent && parent != 0) span->parent_id = static_cast<std::uint64_t>(parent);
}

void Spans::Take(const Event& event, ThreadIndex thread, Time now) {
  switch (event.kind) {
    case Kind::kSpanStart:
      return OnStart(event, thread, now);
    case Kind::kSpanFinish:
      return OnFinish(event, thread, now);
    case Kind::kSpanLog:
      return OnLog(FindOrMake(event, now), ToSeverity(event.number[Span::kSeverity]),
                   event.text[Span::kMessage], now);
    case Kind::kScopeEnter:
    case Kind::kScopeExit:
      return OnScope(event, thread, now);
    case Kind::kBlkin:
      return OnBlkin(event, thread, now);
    default:
      return;
  }
}

// Two providers may record the same span. The time and thread of the first event are kept.
void Spans::OnStart(const Event& event, ThreadIndex thread, Time now) {
  const SpanIndex index = FindOrMake(event, now);
  if (index == kNoSpan) return;
  SpanRecord& span = spans_[index];
  TakeTexts(event, &span);
  if (span.start_seen || span.finish_seen) return;
  span.start_seen = true;
  span.start = now;
  span.start_thread = thread;
  if (Work* const work = WorkOf(thread)) {
    work->started.push_back(index);
    Note(work, now);
  }
}

void Spans::OnFinish(const Event& event, ThreadIndex thread, Time now) {
  const SpanIndex index = FindOrMake(event, now);
  if (index == kNoSpan) return;
  SpanRecord& span = spans_[index];
  TakeTexts(event, &span);
  if (event.number[Span::kError] == 1) span.error = true;
  if (!event.text[Span::kTags].empty()) span.tags = event.text[Span::kTags];
  if (span.finish_seen) return;
  span.finish_seen = true;
  span.end = now;
  span.finish_thread = thread;
  if (!span.start_seen) {
    const std::uint64_t duration = Unsigned(event.number[Span::kDuration]);
    span.start = duration < now ? now - duration : now;
    if (!span.scopes.empty()) span.start = std::min(span.start, span.scopes.front().enter);
  }
  if (Work* const work = WorkOf(span.start_thread)) {
    RemoveLast(&work->started, index);
    Note(work, now);
  }
}

// Reserves room for one more log or scope. Returns false if the limit is reached.
bool Spans::HasRoom() {
  if (details_ < limits_.details) {
    ++details_;
    return true;
  }
  ++counts_.details_refused;
  return false;
}

void Spans::OnLog(SpanIndex span, Severity severity, std::string_view message, Time now) {
  if (span == kNoSpan || !HasRoom()) return;
  spans_[span].logs.push_back({now, severity, std::string(message)});
}

void Spans::OnScope(const Event& event, ThreadIndex thread, Time now) {
  const SpanIndex index = FindOrMake(event, now);
  Work* const work = WorkOf(thread);
  if (index == kNoSpan || work == nullptr) return;
  SpanRecord& span = spans_[index];
  if (event.kind == Kind::kScopeEnter) {
    if (!HasRoom()) return;
    work->scopes.push_back(index);
    span.scopes.push_back({thread, now, now, true});
  } else {
    RemoveLast(&work->scopes, index);
    const auto scope =
        std::find_if(span.scopes.rbegin(), span.scopes.rend(),
                     [&](const ScopeTime& other) { return other.open && other.thread == thread; });
    if (scope != span.scopes.rend()) {
      scope->exit = now;
      scope->open = false;
    }
  }
  Note(work, now);
}

// FindOrMake() accepts these events because the ids have the same indexes as in Span.
void Spans::OnBlkin(const Event& event, ThreadIndex thread, Time now) {
  const SpanIndex index = FindOrMake(event, now);
  if (index == kNoSpan) return;
  SpanRecord& span = spans_[index];
  if (!span.start_seen) {
    span.start_seen = span.finish_seen = true;
    span.start_thread = thread;
  }
  span.end = now;
  span.finish_thread = thread;
  if (span.operation == 0) span.operation = names_.Number(event.text[Blkin::kOperation]);
  if (span.service == 0) span.service = names_.Number(event.text[Blkin::kService]);
  span.parent_id = Unsigned(event.number[Blkin::kParent]);
  const std::string_view key = event.text[Blkin::kKey], value = event.text[Blkin::kValue];
  if (!key.empty()) return AppendTag(key, value, &span.tags);
  if (span.kind == 0 && (value == "cs" || value == "cr")) span.kind = names_.Number("client");
  if (span.kind == 0 && (value == "sr" || value == "ss")) span.kind = names_.Number("server");
  OnLog(index, kInfo, value, now);
}

void Spans::Finish(const Timelines& timelines) {
  for (SpanRecord& span : spans_) {
    if (!span.start_seen) ++counts_.without_start;
    if (!span.finish_seen) {
      ++counts_.without_finish;
      span.end = std::max(span.start, timelines.hosts[span.host].last);
    }
    for (ScopeTime& scope : span.scopes) {
      if (scope.open) scope.exit = std::max(scope.enter, timelines.hosts[span.host].last);
    }
  }
  FindParents();
}

namespace {

// Finds the spans with given ids. Two spans have the same ids if a client and a server share them.
class ByIds {
 public:
  explicit ByIds(const std::vector<SpanRecord>& spans) : spans_(spans), sorted_(spans.size()) {
    std::iota(sorted_.begin(), sorted_.end(), SpanIndex{0});
    std::sort(sorted_.begin(), sorted_.end(), [&](SpanIndex a, SpanIndex b) {
      return std::pair(Rank(spans_[a].ids), a) < std::pair(Rank(spans_[b].ids), b);
    });
  }

  // Returns the first and the end of these spans, in the order in which they were seen.
  std::pair<const SpanIndex*, const SpanIndex*> Find(const SpanIds& ids) const {
    const auto first = std::partition_point(sorted_.begin(), sorted_.end(), [&](SpanIndex span) {
      return Rank(spans_[span].ids) < Rank(ids);
    });
    const SpanIndex* const begin = sorted_.data() + (first - sorted_.begin());
    const SpanIndex* end = begin;
    while (end != sorted_.data() + sorted_.size() && Rank(spans_[*end].ids) == Rank(ids)) ++end;
    return {begin, end};
  }

 private:
  static std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> Rank(const SpanIds& ids) {
    return {ids.trace_low, ids.span, ids.trace_high};
  }

  const std::vector<SpanRecord>& spans_;
  std::vector<SpanIndex> sorted_;
};

}  // namespace

// Prefers a parent in the same process, because a client and a server may share the parent's ids.
// If a client span and a server span share ids, the server span is the child of the client span.
void Spans::FindParents() {
  const ByIds by_ids(spans_);
  const std::uint32_t client = names_.Number("client"), server = names_.Number("server");
  for (SpanIndex i = 0; i < spans_.size(); ++i) {
    SpanRecord& span = spans_[i];
    if (span.kind == server) {
      const auto [first, end] = by_ids.Find(span.ids);
      for (auto other = first; other != end; ++other) {
        if (spans_[*other].kind == client) span.parent = *other;
      }
    }
    if (span.parent == kNoSpan && span.parent_id != 0 && span.parent_id != span.ids.span) {
      const auto [first, end] =
          by_ids.Find({span.ids.trace_high, span.ids.trace_low, span.parent_id});
      const auto same = std::find_if(first, end, [&](SpanIndex j) {
        return spans_[j].pid == span.pid && spans_[j].host == span.host;
      });
      if (first != end) span.parent = same != end ? *same : *(end - 1);
    }
    if (span.parent != kNoSpan && IsWithin(span.parent, i)) span.parent = kNoSpan;  // a cycle
    if (span.parent != kNoSpan) spans_[span.parent].children.push_back(i);
  }
  for (SpanRecord& span : spans_) {
    std::sort(span.children.begin(), span.children.end(),
              [&](SpanIndex a, SpanIndex b) { return spans_[a].start < spans_[b].start; });
  }
}

SpanIndex Spans::ActiveAt(ThreadIndex thread, Time time) const {
  if (!IsThread(thread) || thread >= works_.size()) return kNoSpan;
  const auto& past = works_[thread].past;
  const std::size_t at = IndexAt(past, time);
  return at == past.size() ? kNoSpan : past[at].span;
}

Time Spans::NextChange(ThreadIndex thread, Time time) const {
  if (!IsThread(thread) || thread >= works_.size()) return ~Time{0};
  const auto& past = works_[thread].past;
  const std::size_t at = IndexAt(past, time);
  const std::size_t next = at == past.size() ? 0 : at + 1;
  return next < past.size() ? past[next].start : ~Time{0};
}

bool Spans::WorkedForOther(ThreadIndex thread, Time from, Time to, SpanIndex span) const {
  if (!IsThread(thread) || thread >= works_.size()) return false;
  const auto& past = works_[thread].past;
  const std::size_t at = IndexAt(past, from);
  for (std::size_t i = at == past.size() ? 0 : at; i < past.size() && past[i].start < to; ++i) {
    const SpanIndex other = past[i].span;
    if (other != kNoSpan && !IsWithin(other, span) && !IsWithin(span, other)) return true;
  }
  return false;
}

bool Spans::IsWithin(SpanIndex span, SpanIndex ancestor) const {
  while (span != kNoSpan && span != ancestor) span = spans_[span].parent;
  return span != kNoSpan;
}

}  // namespace tracekin::analysis
