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

  std::uint64_t TotalDropped() const {
    return dropped.queue_full + dropped.too_large + dropped.rejected + dropped.expired +
           dropped.spool_full + dropped.spool_corrupt + dropped.closed + dropped.fork;
  }
};

}  // namespace tracekin

#endif  // TRACEKIN_COUNTERS_H
