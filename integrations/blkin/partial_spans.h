// SPDX-License-Identifier: Apache-2.0
// Collects BlkKin's records into whole spans.
//
// BlkKin does not have finished spans: it records single annotations on any thread. This class
// collects the records of each span, by trace and span id. The tracer reports a span when its end
// is recorded (event_meaning.h), when it has been idle for some time, or when a limit is reached.
// Later records are reported as a second part with the same ids, which Zipkin merges with the
// first.
//
// Limits: BlkinLimits. They are divided among the shards, each of which holds at least one span.
// Thread-safety: any thread may call any method. The table is divided into shards, each with its
// own spin lock. A lock is held while a record is copied and while a span is reported, for a few
// microseconds at most. The only system calls are those of the clock and of the memory allocator.
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
#include "tracekin/blkin.h"
#include "tracekin/span_record.h"

namespace tracekin::blkin {

class PartialSpans {
 public:
  /// Reports all spans to the previous tracer and continues with `tracer`, which may be null.
  void SetTracer(const std::shared_ptr<Tracer>& tracer, const BlkinLimits& limits) noexcept;

  /// Returns whether there is a tracer. Costs one load.
  bool active() const noexcept { return active_.load(std::memory_order_relaxed); }

  /// Asks the tracer's sampler about a new trace. Returns true without a tracer.
  bool Sample(std::int64_t trace_id) noexcept;

  /// `now_ns` is the time since the Unix epoch. Drops the record if memory runs out.
  void Annotate(const Origin& origin, std::string_view event, std::int64_t now_ns) noexcept;
  void Tag(const Origin& origin, std::string_view key, std::string_view value,
           std::int64_t now_ns) noexcept;

  /// Reports the idle spans, and forgets those that were reported some time ago.
  void ReportIdle() noexcept;

  /// Reports all spans in their current state.
  void ReportAll() noexcept;

  std::shared_ptr<Tracer> tracer() noexcept;

  // Call these before and after fork(). The child drops the parent's spans.
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
    std::int64_t opened_at = 0;  // steady time in ns of the first record in `text`
    std::int64_t used_at = 0;    // steady time in ns of the last record or of the report
    // These times are in ns since the Unix epoch, or 0 if they were not recorded.
    std::int64_t first_ns = 0;  // time of the first annotation in `text`, or of the first tag
    std::int64_t last_ns = 0;   // time of the last annotation in `text`, or of the last tag
    std::int64_t start_ns = 0;  // time of cs or sr
    std::int64_t end_ns = 0;    // time of cr or ss
    std::uint16_t port = 0;
    SpanKind kind = SpanKind::kLocal;
    bool annotated = false;  // `text` has an annotation
    bool named = false;      // `text` has the span's name
    bool reported = false;   // true if a part was reported; `text` then contains a later one
    std::string text;        // entries; see partial_spans.cc
  };
  using List = std::list<PartialSpan>;

  // The part of a record that is stored in a span.
  struct Record;

  struct alignas(64) Shard {
    SpinLock lock;
    std::shared_ptr<Tracer> tracer;
    BlkinLimits limits;
    List open;    // spans with records, longest idle first
    List closed;  // spans kept after their report, to recognize later parts
    std::unordered_map<Key, List::iterator, Hash> index;
    std::size_t bytes = 0;  // total size of all texts
    SpanRecord record;      // used by Report, which reuses its memory

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
  SpinLock setting_;  // acquired before the locks of the shards
  std::array<Shard, kShards> shards_;
};

}  // namespace tracekin::blkin

#endif  // TRACEKIN_INTEGRATIONS_BLKIN_PARTIAL_SPANS_H
