// SPDX-License-Identifier: Apache-2.0
// BlkKin's records on their way to whole spans.
//
// BlkKin knows no finished span: it records one annotation after the other, on whatever thread.
// Here those of one span are gathered, by trace and span id, until its end is recorded
// (event_meaning.h), or nothing has been for a while, or a bound is met; then the tracer reports
// the span. What is recorded later is reported as a second part of the same ids, which Zipkin
// merges with the first.
//
// Bounds: BlkinLimits. They are shared out among the shards, each of which holds one span at least.
// Thread-safety: any method from any thread. The table is in shards, each under a spin lock of its
// own, which is held while a record is copied and while a span is reported, some microseconds at
// most. No system call but the clock's, and those of the memory allocator.
#ifndef TRACEKIN_INTEGRATIONS_BLKIN_PARTIAL_SPANS_H
#define TRACEKIN_INTEGRATIONS_BLKIN_PARTIAL_SPANS_H

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/spin_lock.h"
#include "integrations/blkin/origin.h"
#include "tracekin/blkin/tracekin_blkin.h"
#include "tracekin/span_record.h"

namespace tracekin::blkin {

class PartialSpans {
 public:
  /// Reports what there is to the tracer there was, and goes on with `tracer`, which may be null.
  void SetTracer(const std::shared_ptr<Tracer>& tracer, const BlkinLimits& limits) noexcept;

  /// Whether there is a tracer: one load.
  bool active() const noexcept { return active_.load(std::memory_order_relaxed); }

  /// What the tracer's sampler says of a new trace; true without a tracer.
  bool Sample(std::int64_t trace_id) noexcept;

  /// `now_ns` is the time since the Unix epoch. A record for which there is no memory is lost.
  void Annotate(const Origin& origin, std::string_view event, std::int64_t now_ns) noexcept;
  void Tag(const Origin& origin, std::string_view key, std::string_view value,
           std::int64_t now_ns) noexcept;

  /// Reports the spans that are idle, and forgets those that were reported long ago.
  void ReportIdle() noexcept;

  /// Reports all spans, as they are.
  void ReportAll() noexcept;

  std::shared_ptr<Tracer> tracer() noexcept;

  // Around fork(). The parent's spans are no business of the child.
  void LockAll() noexcept;
  void UnlockAll() noexcept;
  /// REQUIRES: LockAll().
  void ForgetAll() noexcept;

 private:
  struct Key {
    std::int64_t trace_id;
    std::int64_t span_id;
    bool operator==(const Key& other) const {
      return trace_id == other.trace_id && span_id == other.span_id;
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  struct PartialSpan {
    Key key;
    std::int64_t parent_span_id;
    std::int64_t opened_at = 0;  // ns of the steady clock, of the first record in `text`
    std::int64_t used_at = 0;    // and of the last one, or of the report
    // ns since the epoch; 0: not recorded.
    std::int64_t first_ns = 0;  // of the first annotation in `text`, or of the first tag if none is
    std::int64_t last_ns = 0;   // of the last one
    std::int64_t start_ns = 0;  // of cs or sr
    std::int64_t end_ns = 0;    // of cr or ss
    std::uint16_t port = 0;
    SpanKind kind = SpanKind::kLocal;
    bool annotated = false;  // `text` has an annotation
    bool named = false;      // `text` has the span's name
    bool reported = false;   // once at least: what is in `text` now is a later part
    std::string text;        // entries; see partial_spans.cc
  };
  using List = std::list<PartialSpan>;

  // What of a record goes into a span.
  struct Record;

  struct alignas(64) Shard {
    SpinLock lock;
    std::shared_ptr<Tracer> tracer;
    BlkinLimits limits;
    List open;    // that have records, the one that is idle for longest first
    List closed;  // that were reported, and are kept to know later records for later parts
    std::unordered_map<Key, List::iterator, Hash> index;
    std::size_t bytes = 0;  // of all texts
    SpanRecord record;      // for Report, which reuses its memory

    void Add(const Origin& origin, const Record& record);
    List::iterator Find(const Origin& origin);
    void Write(const Origin& origin, const Record& record, PartialSpan* span);
    bool Note(const Record& record, PartialSpan* span) noexcept;
    void Report(List::iterator span) noexcept;
    void Forget(List* list) noexcept;
    void ReportAll() noexcept;
  };

  static constexpr std::size_t kShards = 32;

  Shard& ShardOf(const Key& key) noexcept { return shards_[Hash()(key) % kShards]; }
  void Add(const Origin& origin, const Record& record) noexcept;

  std::atomic<bool> active_{false};
  SpinLock setting_;  // taken before a shard's
  std::array<Shard, kShards> shards_;
};

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_PARTIAL_SPANS_H
