// SPDX-License-Identifier: Apache-2.0
#include "integrations/blkin/partial_spans.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/random_seed.h"
#include "integrations/blkin/event_meaning.h"

namespace tracekin::blkin {

namespace {

constexpr std::int64_t kUnknown = -1;

// Limit for each string, so that a string without an end is not copied. The tracer truncates text
// that is too long for a span and counts that.
constexpr std::size_t kMaxText = 65536;

enum class EntryType : std::uint8_t { kName, kService, kIp, kAnnotation, kTag };

// A span's text is a sequence of entries: this header, then the key and the value.
struct EntryHeader {
  std::int64_t time_ns;
  std::uint32_t key_size;
  std::uint32_t value_size;
  EntryType type;
};

void Append(EntryType type, std::int64_t time_ns, std::string_view key, std::string_view value,
            std::string* text) {
  const EntryHeader header{time_ns, static_cast<std::uint32_t>(key.size()),
                           static_cast<std::uint32_t>(value.size()), type};
  text->append(reinterpret_cast<const char*>(&header), sizeof header).append(key).append(value);
}

// Returns the share of a limit for one shard.
std::size_t Share(std::size_t whole, std::size_t shards) {
  return std::max<std::size_t>(whole / shards, 1);
}

std::string_view Bounded(std::string_view text) { return text.substr(0, kMaxText); }

bool IsIPv6(std::string_view ip) { return ip.find(':') != std::string_view::npos; }

}  // namespace

struct PartialSpans::Record {
  EntryType type;
  std::string_view key;
  std::string_view value;
  std::int64_t time_ns;

  std::size_t size() const { return sizeof(EntryHeader) + key.size() + value.size(); }
};

std::size_t PartialSpans::Hash::operator()(const Key& key) const noexcept {
  return MixBits(static_cast<std::uint64_t>(key.trace_id) * 31 +
                 static_cast<std::uint64_t>(key.span_id));
}

void PartialSpans::SetTracer(const std::shared_ptr<Tracer>& tracer,
                             const BlkinLimits& limits) noexcept {
  BlkinLimits share = limits;
  share.max_spans = Share(limits.max_spans, kShards);
  share.max_bytes = Share(limits.max_bytes, kShards);
  std::shared_ptr<Tracer> before;  // last reference: may close the tracer, so it is destroyed last
  const std::lock_guard<SpinLock> setting(setting_);
  active_.store(tracer != nullptr, std::memory_order_relaxed);
  for (Shard& shard : shards_) {
    const std::lock_guard<SpinLock> lock(shard.lock);
    shard.ReportAll();
    while (!shard.closed.empty()) shard.Forget(&shard.closed);
    before = std::exchange(shard.tracer, tracer);
    shard.limits = share;
  }
}

bool PartialSpans::Sample(std::int64_t trace_id) noexcept {
  if (!active()) return true;
  Shard& shard = ShardOf({trace_id, trace_id});
  const std::lock_guard<SpinLock> lock(shard.lock);
  return shard.tracer == nullptr || shard.tracer->Sample(static_cast<std::uint64_t>(trace_id));
}

void PartialSpans::Annotate(const Origin& origin, std::string_view event,
                            std::int64_t now_ns) noexcept {
  Add(origin, {EntryType::kAnnotation, {}, Bounded(event), now_ns});
}

void PartialSpans::Tag(const Origin& origin, std::string_view key, std::string_view value,
                       std::int64_t now_ns) noexcept {
  Add(origin, {EntryType::kTag, Bounded(key), Bounded(value), now_ns});
}

void PartialSpans::Add(const Origin& origin, const Record& record) noexcept {
  Shard& shard = ShardOf({origin.ids.trace_id, origin.ids.span_id});
  const std::lock_guard<SpinLock> lock(shard.lock);
  if (shard.tracer == nullptr) return;
  try {
    shard.Add(origin, record);
  } catch (const std::bad_alloc&) {
  }
}

// Returns the origin's span, and adds it if necessary after making room.
PartialSpans::List::iterator PartialSpans::Shard::Find(const Origin& origin) {
  const Key key{origin.ids.trace_id, origin.ids.span_id};
  const auto found = index.find(key);
  if (found != index.end()) return found->second;
  while (index.size() >= limits.max_spans) {
    if (closed.empty()) Report(open.begin());
    Forget(&closed);
  }
  List made(1);
  made.front().key = key;
  made.front().parent_span_id = origin.ids.parent_span_id;
  index.emplace(key, made.begin());
  closed.splice(closed.end(), made);
  return std::prev(closed.end());
}

void PartialSpans::Shard::Add(const Origin& origin, const Record& added) {
  const std::int64_t now = CoarseSteadyNow();
  const auto span = Find(origin);
  if (!span->text.empty() && (span->text.size() + added.size() > limits.max_span_bytes ||
                              now - span->opened_at > Nanoseconds(limits.max_age))) {
    Report(span);
  }
  const bool first = span->text.empty();
  Write(origin, added, &*span);
  if (first) span->opened_at = now;
  span->used_at = now;
  open.splice(open.end(), first ? closed : open, span);
  if (Note(added, &*span)) Report(span);
  while (bytes > limits.max_bytes) Report(open.begin());
}

// Appends the record to the span's text. The text of a new span begins with its endpoint.
void PartialSpans::Shard::Write(const Origin& origin, const Record& added, PartialSpan* span) {
  const bool first = span->text.empty();
  const std::string_view service = Bounded(origin.service), ip = Bounded(origin.ip);
  const std::string_view name = span->named ? std::string_view() : Bounded(origin.name);
  const std::size_t before = span->text.size();
  // Reserve all memory first, so that nothing below throws.
  const std::size_t after = before + added.size() + 3 * sizeof(EntryHeader) + name.size() +
                            (first ? service.size() + ip.size() : 0);
  if (span->text.capacity() < after) span->text.reserve(std::max(after, 2 * before));
  if (first) {
    Append(EntryType::kService, 0, {}, service, &span->text);
    Append(EntryType::kIp, 0, {}, ip, &span->text);
    span->port = static_cast<std::uint16_t>(origin.port & 0xffff);
  }
  if (!name.empty()) {
    Append(EntryType::kName, 0, {}, name, &span->text);
    span->named = true;
  }
  Append(added.type, added.time_ns, added.key, added.value, &span->text);
  bytes += span->text.size() - before;
}

// Updates the span's times and kind from the record. Returns whether the record ends the span.
bool PartialSpans::Shard::Note(const Record& added, PartialSpan* span) noexcept {
  const bool annotation = added.type == EntryType::kAnnotation;
  if (span->first_ns == 0 || (annotation && !span->annotated)) span->first_ns = added.time_ns;
  if (annotation || !span->annotated) span->last_ns = added.time_ns;
  if (!annotation) return false;
  span->annotated = true;
  const EventMeaning meaning = MeaningOf(added.value);
  if (span->kind == SpanKind::kLocal) span->kind = meaning.kind;
  if (meaning.kind != SpanKind::kLocal && meaning.kind != span->kind) return false;
  if (meaning.start && span->start_ns == 0) span->start_ns = added.time_ns;
  if (meaning.end && meaning.kind != SpanKind::kLocal) span->end_ns = added.time_ns;
  return meaning.end;
}

// Reports the content of the span's text and moves the span to the closed list.
void PartialSpans::Shard::Report(List::iterator span) noexcept {
  record.Clear();
  record.trace_id_low = static_cast<std::uint64_t>(span->key.trace_id);
  record.span_id = static_cast<std::uint64_t>(span->key.span_id);
  record.parent_span_id = static_cast<std::uint64_t>(span->parent_span_id);
  record.kind = span->kind;
  if (span->reported) {
    record.duration_ns = kUnknown;  // the first part already reported the times of the whole span
  } else {
    record.start_ns = span->start_ns != 0 ? span->start_ns : span->first_ns;
    const std::int64_t end = span->end_ns != 0 ? span->end_ns : span->last_ns;
    record.duration_ns = std::max<std::int64_t>(end - record.start_ns, 0);
  }
  record.local.port = span->port;
  try {
    for (const char *at = span->text.data(), *end = at + span->text.size(); at < end;) {
      EntryHeader header;
      std::memcpy(&header, at, sizeof header);
      at += sizeof header;
      const std::string_view key(at, header.key_size);
      const std::string_view value(at + header.key_size, header.value_size);
      at += header.key_size + header.value_size;
      switch (header.type) {
        case EntryType::kName:
          record.name = value;
          break;
        case EntryType::kService:
          record.local.service_name = value;
          break;
        case EntryType::kIp:
          (IsIPv6(value) ? record.local.ipv6 : record.local.ipv4) = value;
          break;
        case EntryType::kAnnotation:
          record.annotations.push_back({header.time_ns, value});
          break;
        case EntryType::kTag:
          record.tags.push_back({key, value});
          break;
      }
    }
  } catch (const std::bad_alloc&) {  // report the entries that were added
  }
  tracer->Report(record);

  bytes -= span->text.size();
  std::string().swap(span->text);
  span->reported = true;
  span->annotated = span->named = false;
  span->first_ns = span->start_ns = span->end_ns = 0;
  span->used_at = CoarseSteadyNow();
  closed.splice(closed.end(), open, span);
}

// Removes the first span of `list`.
void PartialSpans::Shard::Forget(List* list) noexcept {
  bytes -= list->front().text.size();
  index.erase(list->front().key);
  list->pop_front();
}

void PartialSpans::Shard::ReportAll() noexcept {
  while (!open.empty()) Report(open.begin());
}

void PartialSpans::ReportIdle() noexcept {
  for (Shard& shard : shards_) {
    const std::lock_guard<SpinLock> lock(shard.lock);
    const std::int64_t limit = CoarseSteadyNow() - Nanoseconds(shard.limits.idle_timeout);
    while (!shard.closed.empty() && shard.closed.front().used_at <= limit) {
      shard.Forget(&shard.closed);
    }
    while (!shard.open.empty() && shard.open.front().used_at <= limit) {
      shard.Report(shard.open.begin());
    }
  }
}

void PartialSpans::ReportAll() noexcept {
  for (Shard& shard : shards_) {
    const std::lock_guard<SpinLock> lock(shard.lock);
    shard.ReportAll();
  }
}

std::shared_ptr<Tracer> PartialSpans::tracer() noexcept {
  const std::lock_guard<SpinLock> lock(shards_[0].lock);
  return shards_[0].tracer;
}

void PartialSpans::LockAll() noexcept {
  setting_.lock();
  for (Shard& shard : shards_) shard.lock.lock();
}

void PartialSpans::UnlockAll() noexcept {
  for (Shard& shard : shards_) shard.lock.unlock();
  setting_.unlock();
}

void PartialSpans::ForgetAll() noexcept {
  for (Shard& shard : shards_) {
    while (!shard.open.empty()) shard.Forget(&shard.open);
    while (!shard.closed.empty()) shard.Forget(&shard.closed);
  }
}

}  // namespace tracekin::blkin
