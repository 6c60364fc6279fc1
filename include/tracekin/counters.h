// SPDX-License-Identifier: Apache-2.0
// Where every span went.
//
// At any quiet moment (no span being started or finished, the exporter thread between two steps)
//
//   started + adopted = open + unsampled + queued + in_flight + spooled + exported + dropped.*
//
// holds exactly, in each process of a fork. While spans are being made the sum may be off by those
// in flight between two counters.
#ifndef TRACEKIN_COUNTERS_H
#define TRACEKIN_COUNTERS_H

#include <cstdint>

namespace tracekin {

struct Counters {
  std::uint64_t started = 0;    // spans that StartSpan made
  std::uint64_t open = 0;       // started and not finished yet
  std::uint64_t unsampled = 0;  // finished, and not to be exported
  std::uint64_t adopted = 0;    // found in the spool, left there by a process that is gone
  std::uint64_t queued = 0;     // finished, waiting for the exporter thread
  std::uint64_t in_flight =
      0;  // in its hands: on their way to the collector, or tried in vain so far
  std::uint64_t spooled = 0;   // waiting on disk
  std::uint64_t exported = 0;  // acknowledged by the collector, or written to the file

  struct {
    std::uint64_t queue_full = 0;  // the queue was at queue_spans or queue_bytes
    std::uint64_t too_large = 0;   // for the collector, each alone; or there was no memory for them
    std::uint64_t rejected = 0;    // the collector answered that it will not take them
    std::uint64_t expired = 0;     // tried for retry_max_age_ms, or retry_max_tries times
    std::uint64_t spool_full = 0;  // the oldest, when the spool had spool_bytes
    std::uint64_t spool_corrupt = 0;  // damaged or missing when the spool was read
    std::uint64_t closed = 0;         // finished after Close(), or left over when its time was up
    std::uint64_t fork = 0;  // opened before a fork, finished in the child: the parent reports them
  } dropped;

  /// Tags, log entries and text that did not fit into their span (bounded to 32 KiB); not a number of
  /// spans.
  std::uint64_t truncated_attributes = 0;

  /// Scopes of these spans that ended on another thread than they began on; see scope.h.
  std::uint64_t misplaced_scopes = 0;

  std::uint64_t TotalDropped() const;
};

enum class CounterGroup {
  kSpans,    // spans, in a term of the equation above of its own
  kDropped,  // spans, in dropped.*
  kOther,    // not a number of spans
};

/// What a counter is, for whoever shows all of them.
struct CounterInfo {
  const char* name;  // of the member
  CounterGroup group;
  bool grows;                       // a counter in the sense of Prometheus; false for a gauge
  const char* help;                 // a sentence; of a dropped span the reason
  std::uint64_t Counters::*member;  // null in the group kDropped
  std::uint64_t decltype(Counters::dropped)::*dropped;  // null in the others

  constexpr const std::uint64_t& In(const Counters& counters) const {
    return member != nullptr ? counters.*member : counters.dropped.*dropped;
  }
  constexpr std::uint64_t& In(Counters& counters) const {
    return member != nullptr ? counters.*member : counters.dropped.*dropped;
  }
};

/// Every counter, in the order of a span's life. To add one, add a member above and a row here, and count
/// it where it happens.
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
