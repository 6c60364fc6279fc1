// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/drop_report.h"

namespace tracekin::exporter {

namespace {

constexpr std::chrono::seconds kInterval{10};

}  // namespace

std::string DropReport::Make(const Counters& totals, const std::string& last_error, TimePoint now,
                             bool last) {
  if (!last && now < next_) return {};
  const std::uint64_t dropped = totals.TotalDropped() - told_.TotalDropped();
  if (dropped == 0) return {};
  std::string reasons;
  for (const CounterInfo& info : kCounters) {
    const std::uint64_t more = info.In(totals) - info.In(told_);
    if (info.group != CounterGroup::kDropped || more == 0) continue;
    reasons += std::string(" ") + info.name + ' ' + std::to_string(more);
  }
  std::string line = "dropped " + std::to_string(dropped) + (dropped == 1 ? " span:" : " spans:");
  line += reasons;
  if (!last_error.empty()) line += " (last error: " + last_error + ')';
  // Updated last, so that drops that could not be reported for lack of memory are reported next
  // time.
  told_ = totals;
  next_ = now + kInterval;
  return line;
}

}  // namespace tracekin::exporter
