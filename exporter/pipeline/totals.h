// SPDX-License-Identifier: Apache-2.0
// Counts the fates of the spans that the queue accepted, and of those that other processes left in
// the spool.
//
// Thread-safety: the exporter thread writes, and any thread reads. A span is removed from one count
// before it is added to the next, and Read() reads the final counts first. A reader therefore never
// counts a span twice, and a span that it finds nowhere is still queued.
#ifndef TRACEKIN_EXPORTER_PIPELINE_TOTALS_H
#define TRACEKIN_EXPORTER_PIPELINE_TOTALS_H

#include <cstdint>
#include <iterator>

#include "tracekin/counters.h"

namespace tracekin::exporter {

/// The subset of the tracer's counters that the exporter changes: `exported`, `spooled`,
/// `in_flight`, `adopted` and some reasons in `dropped`. While other threads read them, only the
/// functions below may access them.
class ExporterCounts : public Counters {
 public:
  static void Add(std::uint64_t* to, std::uint64_t spans) noexcept {
    __atomic_fetch_add(to, spans, __ATOMIC_SEQ_CST);
  }
  static void Move(std::uint64_t* from, std::uint64_t* to, std::uint64_t spans) noexcept {
    __atomic_fetch_sub(from, spans, __ATOMIC_SEQ_CST);
    Add(to, spans);
  }

  static void Set(std::uint64_t* to, std::uint64_t value) noexcept {
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
  }

  /// Reads the counters. Reads those of the last stages of a span's life first.
  Counters Read() const noexcept {
    Counters read;
    for (auto info = std::rbegin(kCounters); info != std::rend(kCounters); ++info) {
      info->In(read) = __atomic_load_n(&info->In(*this), __ATOMIC_SEQ_CST);
    }
    return read;
  }

  /// Sets all counters to 0. Called in the child of a fork.
  void Reset() noexcept { static_cast<Counters&>(*this) = {}; }
};

/// Returns how many spans have left the queue. Excludes spans that the queue refused and spans that
/// were adopted, because these were never in it.
inline std::uint64_t TakenFromQueue(const Counters& counts) {
  return counts.exported + counts.TotalDropped() - counts.dropped.queue_full + counts.spooled +
         counts.in_flight - counts.adopted;
}

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_TOTALS_H
