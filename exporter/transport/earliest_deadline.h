// SPDX-License-Identifier: Apache-2.0
// Passes the earliest deadline that was requested from Transport::Interrupt() to Send().
//
// Thread-safety: any method from any thread.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_EARLIEST_DEADLINE_H
#define TRACEKIN_EXPORTER_TRANSPORT_EARLIEST_DEADLINE_H

#include <algorithm>
#include <atomic>

#include "tracekin/transport.h"

namespace tracekin::exporter {

class EarliestDeadline {
 public:
  using TimePoint = Transport::Clock::time_point;

  void MoveForward(TimePoint to) noexcept {
    TimePoint current = deadline_.load(std::memory_order_relaxed);
    while (to < current && !deadline_.compare_exchange_weak(current, to)) {
    }
  }

  TimePoint Or(TimePoint other) const noexcept { return std::min(deadline_.load(), other); }

 private:
  std::atomic<TimePoint> deadline_{TimePoint::max()};
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_EARLIEST_DEADLINE_H
