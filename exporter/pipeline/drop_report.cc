// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/drop_report.h"

namespace tracekin {

namespace {

constexpr std::chrono::seconds kInterval{10};

}  // namespace

std::string DropReport::Make(const ExporterTotals& totals, std::uint64_t queue_full,
                             const std::string& last_error, TimePoint now, bool last) {
  if (!last && now < next_) return {};
  std::string reasons;
  std::uint64_t dropped = 0;
  const auto add = [&](const char* reason, std::uint64_t count, std::uint64_t told) {
    if (count == told) return;
    dropped += count - told;
    reasons += std::string(" ") + reason + ' ' + std::to_string(count - told);
  };
  add("queue_full", queue_full, told_queue_full_);
  add("too_large", totals.too_large, told_.too_large);
  add("rejected", totals.rejected, told_.rejected);
  add("expired", totals.expired, told_.expired);
  add("spool_full", totals.spool_full, told_.spool_full);
  add("spool_corrupt", totals.spool_corrupt, told_.spool_corrupt);
  add("closed", totals.closed, told_.closed);
  if (dropped == 0) return {};
  std::string line = "dropped " + std::to_string(dropped) + (dropped == 1 ? " span:" : " spans:");
  line += reasons;
  if (!last_error.empty()) line += " (last error: " + last_error + ')';
  // Updated last, so that drops that could not be reported for lack of memory are reported next
  // time.
  told_ = totals;
  told_queue_full_ = queue_full;
  next_ = now + kInterval;
  return line;
}

}  // namespace tracekin
