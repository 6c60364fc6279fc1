// SPDX-License-Identifier: Apache-2.0
#include "analysis/cause.h"

#include <cstddef>

namespace tracekin::analysis {

namespace {

template <typename Enum, std::size_t kSize>
const char* Entry(const char* const (&table)[kSize], Enum index) {
  static_assert(kSize == static_cast<std::size_t>(Enum::kCount), "one entry a value");
  return table[static_cast<std::size_t>(index)];
}

}  // namespace

const char* Word(Cause cause) {
  static constexpr const char* kWords[] = {
      "unknown", "running", "interrupted", "preempted", "ready", "lock", "thread",
      "child",   "disk",    "network",     "timer",     "fault", "input"};
  return Entry(kWords, cause);
}

const char* Phrase(Reason reason) {
  static constexpr const char* kPhrases[] = {"",
                                             "no kernel trace",
                                             "before the recording",
                                             "events were discarded",
                                             "thread not known",
                                             "waker not known",
                                             "no wake-up recorded",
                                             "still waiting at the end",
                                             "thread had ended",
                                             "too much to keep"};
  return Entry(kPhrases, reason);
}

const char* SoftirqName(unsigned vector) {
  static constexpr const char* kNames[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                           "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
  return vector < sizeof kNames / sizeof *kNames ? kNames[vector] : "?";
}

}  // namespace tracekin::analysis
