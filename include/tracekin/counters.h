// SPDX-License-Identifier: Apache-2.0
// Counts what happened to every span.
//
// While no span is being started or finished and the exporter thread is between two steps,
//
//   started + adopted = open + unsampled + queued + in_flight + spooled + exported + dropped.*
//
// holds exactly, in the parent and in the child of a fork. At other times the sum may be off by the
// spans that are just moving from one counter to another.
#ifndef TRACEKIN_COUNTERS_H
#define TRACEKIN_COUNTERS_H

#include <cstdint>

namespace tracekin {

struct Counters {
  std::uint64_t started = 0;    // returned by StartSpan
  std::uint64_t open = 0;       // started but not finished yet
  std::uint64_t unsampled = 0;  // finished, but not selected for export
  std::uint64_t adopted = 0;    // found in the spool of a process that has ended
  std::uint64_t queued = 0;     // finished, waiting for the exporter thread
  // Held by the exporter thread: being sent, or waiting for the next try.
  std::uint64_t in_flight = 0;
  std::uint64_t spooled = 0;   // waiting on disk
  std::uint64_t exported = 0;  // acknowledged by the collector, or written to the file

  struct {
    std::uint64_t queue_full = 0;     // the queue had reached queue_spans or queue_bytes
    std::uint64_t too_large = 0;      // too large for the collector on its own, or out of memory
    std::uint64_t rejected = 0;       // the collector answered that it will not accept them
    std::uint64_t expired = 0;        // still failing after retry_max_age_ms or retry_max_tries
    std::uint64_t spool_full = 0;     // the oldest spans, when the spool had reached spool_bytes
    std::uint64_t spool_corrupt = 0;  // damaged or missing when the spool was read
    std::uint64_t closed = 0;         // finished after Close(), or not sent before it timed out
    std::uint64_t fork = 0;  // open during a fork, finished in the child; the parent reports them
  } dropped;

  /// The number of tags, log entries and strings that did not fit into their span, which is limited
  /// to 32 KiB.
  std::uint64_t truncated_attributes = 0;

  /// The number of scopes that ended on another thread than they began on; see scope.h.
  std::uint64_t misplaced_scopes = 0;

  /// The number of batches that could not be sent and were kept, or given up: no connection, no
  /// answer in time, or an answer that asks to try again.
  std::uint64_t failed_requests = 0;

  /// When the collector last accepted a batch, in seconds since 1970; 0: never.
  std::uint64_t last_success_timestamp_seconds = 0;

  /// Returns the sum of dropped.*.
  std::uint64_t TotalDropped() const;
};

enum class CounterGroup {
  kSpans,    // counts spans; a separate term of the equation above
  kDropped,  // counts spans; part of dropped.*
  kOther,    // does not count spans
};

/// Describes one counter for code that shows all of them.
struct CounterInfo {
  const char* name;  // the name of the member
  CounterGroup group;
  bool grows;                       // true for a Prometheus counter, false for a gauge
  const char* help;                 // a sentence; for dropped spans, the reason
  std::uint64_t Counters::*member;  // null in the group kDropped
  std::uint64_t decltype(Counters::dropped)::*dropped;  // null in the other groups

  /// Returns this counter's value in `counters`.
  constexpr const std::uint64_t& In(const Counters& counters) const {
    return member != nullptr ? counters.*member : counters.dropped.*dropped;
  }
  constexpr std::uint64_t& In(Counters& counters) const {
    return member != nullptr ? counters.*member : counters.dropped.*dropped;
  }
};

/// Lists every counter in the order of a span's life. To add a counter, add a member above and a
/// row here, and increment it where the event happens.
inline constexpr CounterInfo kCounters[] = {
    {"started", CounterGroup::kSpans, true, "Spans started.", &Counters::started, nullptr},
    {"adopted", CounterGroup::kSpans, true, "Spans found in the spool of a process that has ended.",
     &Counters::adopted, nullptr},
    {"open", CounterGroup::kSpans, false, "Spans started but not finished.", &Counters::open,
     nullptr},
    {"unsampled", CounterGroup::kSpans, true, "Finished spans not selected for export.",
     &Counters::unsampled, nullptr},
    {"queued", CounterGroup::kSpans, false, "Finished spans waiting in memory.", &Counters::queued,
     nullptr},
    {"in_flight", CounterGroup::kSpans, false, "Spans being sent to the collector.",
     &Counters::in_flight, nullptr},
    {"spooled", CounterGroup::kSpans, false, "Spans waiting on disk.", &Counters::spooled, nullptr},
    {"exported", CounterGroup::kSpans, true, "Spans acknowledged by the collector.",
     &Counters::exported, nullptr},
#define TRACEKIN_DROPPED(reason, help) \
  { #reason, CounterGroup::kDropped, true, help, nullptr, &decltype(Counters::dropped)::reason }
    TRACEKIN_DROPPED(queue_full, "The queue was full."),
    TRACEKIN_DROPPED(too_large, "A span alone is too large for the collector or the memory."),
    TRACEKIN_DROPPED(rejected, "The collector will not take them."),
    TRACEKIN_DROPPED(expired, "They were not sent in time."),
    TRACEKIN_DROPPED(spool_full, "The spool was full, and they were the oldest."),
    TRACEKIN_DROPPED(spool_corrupt, "Their file in the spool was damaged or removed."),
    TRACEKIN_DROPPED(closed, "The tracer was closed."),
    TRACEKIN_DROPPED(fork, "They were open when the process forked; the parent reports them."),
#undef TRACEKIN_DROPPED
    {"truncated_attributes", CounterGroup::kOther, true,
     "Tags, logs and strings that did not fit into their span.", &Counters::truncated_attributes,
     nullptr},
    {"misplaced_scopes", CounterGroup::kOther, true,
     "Scopes that ended on another thread than they began on.", &Counters::misplaced_scopes,
     nullptr},
    {"failed_requests", CounterGroup::kOther, true, "Batches that could not be sent, by attempts.",
     &Counters::failed_requests, nullptr},
    {"last_success_timestamp_seconds", CounterGroup::kOther, false,
     "When the collector last accepted a batch, in seconds since 1970. 0 means never.",
     &Counters::last_success_timestamp_seconds, nullptr},
};

inline std::uint64_t Counters::TotalDropped() const {
  std::uint64_t total = 0;
  for (const CounterInfo& info : kCounters) {
    if (info.group == CounterGroup::kDropped) total += info.In(*this);
  }
  return total;
}

}  // namespace tracekin

#endif  // TRACEKIN_COUNTERS_H
