// SPDX-License-Identifier: Apache-2.0
// Counts the fates of the spans that the queue accepted, and of those that other processes left in
// the spool.
//
// Thread-safety: the exporter thread writes, and any thread reads. A span is removed from one count
// before it is added to the next, and Read() reads the final counts first. A reader therefore never
// counts a span twice, and a span that it finds nowhere is still queued.
#ifndef TRACEKIN_EXPORTER_PIPELINE_TOTALS_H
#define TRACEKIN_EXPORTER_PIPELINE_TOTALS_H

#include <atomic>
#include <cstdint>

namespace tracekin {

struct ExporterTotals {
  std::uint64_t exported = 0;
  std::uint64_t rejected = 0;
  std::uint64_t too_large = 0;
  std::uint64_t expired = 0;
  std::uint64_t spool_full = 0;
  std::uint64_t spool_corrupt = 0;
  std::uint64_t closed = 0;
  std::uint64_t spooled = 0;    // at present
  std::uint64_t in_flight = 0;  // at present: taken from the queue, but not spooled or settled
  std::uint64_t adopted = 0;

  /// Returns the number of spans that have left the queue. Adopted spans do not count, because they
  /// never were in it.
  std::uint64_t TakenFromQueue() const {
    return exported + rejected + too_large + expired + spool_full + spool_corrupt + closed +
           spooled + in_flight - adopted;
  }
};

class ExporterCounts {
 public:
  using Count = std::atomic<std::uint64_t>;

  Count exported{0};
  Count rejected{0};
  Count too_large{0};
  Count expired{0};
  Count spool_full{0};
  Count spool_corrupt{0};
  Count closed{0};
  Count spooled{0};
  Count in_flight{0};
  Count adopted{0};

  static void Add(Count* to, std::uint64_t spans) noexcept { to->fetch_add(spans); }
  static void Move(Count* from, Count* to, std::uint64_t spans) noexcept {
    from->fetch_sub(spans);
    to->fetch_add(spans);
  }

  ExporterTotals Read() const noexcept {
    ExporterTotals totals;
    totals.exported = exported;
    totals.rejected = rejected;
    totals.too_large = too_large;
    totals.expired = expired;
    totals.spool_full = spool_full;
    totals.spool_corrupt = spool_corrupt;
    totals.closed = closed;
    totals.spooled = spooled;
    totals.in_flight = in_flight;
    totals.adopted = adopted;
    return totals;
  }

  /// Sets all counts to 0 in the child of a fork.
  void Reset() noexcept {
    for (Count* count : {&exported, &rejected, &too_large, &expired, &spool_full, &spool_corrupt,
                         &closed, &spooled, &in_flight, &adopted}) {
      count->store(0, std::memory_order_relaxed);
    }
  }
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_TOTALS_H
