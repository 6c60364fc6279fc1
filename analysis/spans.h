// SPDX-License-Identifier: Apache-2.0
// Collects the spans of a recording: their start and end, the threads that worked for them, and
// their parents and children.
//
// Understands the events of tracekin, of Jaeger's LTTng client, and of BlkKin. A span of BlkKin
// lasts from its first record to its last. Spans are identified by their index, in the order in
// which they were first seen. Memory: about 200 bytes per span, up to Limits. Thread-safety: none.
#ifndef TRACEKIN_ANALYSIS_SPANS_H
#define TRACEKIN_ANALYSIS_SPANS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/event.h"
#include "analysis/names.h"
#include "analysis/timeline.h"

namespace tracekin::analysis {

using SpanIndex = std::uint32_t;

constexpr SpanIndex kNoSpan = 0xFFFFFFFF;

struct SpanIds {
  std::uint64_t trace_high = 0, trace_low = 0;
  std::uint64_t span = 0;
};

/// A period in which a thread worked for a span.
struct ScopeTime {
  ThreadIndex thread = kNobody;
  Time enter = 0;
  Time exit = 0;
  bool open = true;  // true if it was not left before the recording ended; `exit` is that end
};

struct SpanLog {
  Time time = 0;
  Severity severity = kDebug;
  std::string message;
};

struct SpanRecord {
  SpanIds ids;
  std::uint64_t parent_id = 0;  // 0 for a root span
  SpanIndex parent = kNoSpan;   // the parent, if the recording contains it; set by Finish()
  Time start = 0;               // the time of the call, not an explicit start timestamp
  Time end = 0;
  ThreadIndex start_thread = kNobody;
  ThreadIndex finish_thread = kNobody;
  std::uint32_t service = 0, operation = 0, kind = 0;  // numbers in Spans::names
  std::int32_t pid = -1;
  std::uint16_t host = 0;
  bool error = false;
  bool start_seen = false;   // if false, `start` is derived from the duration at the finish
  bool finish_seen = false;  // if false, `end` is the end of the recording
  std::string tags;          // a JSON object of strings, or empty
  std::vector<ScopeTime> scopes;
  std::vector<SpanLog> logs;
  std::vector<SpanIndex> children;  // sorted by start; set by Finish()

  Time duration() const { return end - start; }
};

class Spans {
 public:
  struct Limits {
    std::size_t spans = std::size_t{1} << 24;
    std::size_t details = std::size_t{1} << 25;  // logs and scopes
    std::size_t names = std::size_t{1} << 20;
  };
  struct Counts {
    std::uint64_t spans_refused = 0;
    std::uint64_t details_refused = 0;
    std::uint64_t without_start = 0;
    std::uint64_t without_finish = 0;
  };

  Spans() : Spans(Limits()) {}
  explicit Spans(const Limits& limits) : limits_(limits), names_(limits.names) {}

  /// Processes an event of a program that `thread` (or kNobody) recorded at `now`. Ignores all
  /// other events.
  void Take(const Event& event, ThreadIndex thread, Time now);

  /// Ends the recording. Ends spans and scopes that are still open at the last time of their host,
  /// and finds the parents of all spans.
  void Finish(const Timelines& timelines);

  const std::vector<SpanRecord>& all() const { return spans_; }
  const SpanRecord& operator[](SpanIndex span) const { return spans_[span]; }
  const Names& names() const { return names_; }
  const Counts& counts() const { return counts_; }

  /// Returns the span that a thread worked for at `time`. This is the span of the innermost scope.
  /// Without a scope, it is the last span that the thread started and that is still open. Returns
  /// kNoSpan if there is no such span.
  SpanIndex ActiveAt(ThreadIndex thread, Time time) const;

  /// Returns the first time after `time` at which the result of ActiveAt() for the thread changes,
  /// or the maximum Time if it does not change.
  Time NextChange(ThreadIndex thread, Time time) const;

  /// Returns whether a thread worked between two times for a span that is not `span`, one of its
  /// descendants or one of its ancestors.
  bool WorkedForOther(ThreadIndex thread, Time from, Time to, SpanIndex span) const;

  /// Returns whether `span` is `ancestor` or one of its descendants.
  bool IsWithin(SpanIndex span, SpanIndex ancestor) const;

 private:
  // Identifies the part of a span in one process, because client and server may share ids.
  struct Key {
    std::uint64_t trace_high, trace_low, span;
    std::int32_t pid;
    std::uint16_t host;
    bool operator==(const Key& other) const {
      return trace_high == other.trace_high && trace_low == other.trace_low && span == other.span &&
             pid == other.pid && host == other.host;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  // The span for which a thread works from `start` on; kNoSpan if it does not work for one.
  struct Activity {
    Time start;
    SpanIndex span;
  };
  struct Work {
    std::vector<SpanIndex> scopes, started;
    std::vector<Activity> past;
  };

  bool HasRoom();
  SpanIndex FindOrMake(const Event& event, Time now);
  void OnStart(const Event& event, ThreadIndex thread, Time now);
  void OnFinish(const Event& event, ThreadIndex thread, Time now);
  void OnLog(SpanIndex span, Severity severity, std::string_view message, Time now);
  void OnScope(const Event& event, ThreadIndex thread, Time now);
  void OnBlkin(const Event& event, ThreadIndex thread, Time now);
  void TakeTexts(const Event& event, SpanRecord* span);
  Work* WorkOf(ThreadIndex thread);
  void Note(Work* work, Time now);
  void FindParents();

  const Limits limits_;
  Counts counts_;
  Names names_;
  std::vector<SpanRecord> spans_;
  std::unordered_map<Key, SpanIndex, KeyHash> by_key_;
  std::vector<Work> works_;  // indexed by thread
  std::size_t details_ = 0;
};

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_SPANS_H
