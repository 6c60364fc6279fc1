// SPDX-License-Identifier: Apache-2.0
// Where the time of a span went: its time from start to finish is divided, exactly, into parts.
//
// The parts at depth 0 follow each other from the start of the span to its end. A part at depth n +
// 1 says what the thread that a part at depth n waited for did in that time; such parts come right
// after it, and divide it as exactly. So one span's parts are a tree, in the order in which one
// prints it.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_ANALYSIS_CRITICAL_PATH_H
#define TRACEKIN_ANALYSIS_CRITICAL_PATH_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cause.h"
#include "analysis/spans.h"
#include "analysis/timeline.h"

namespace tracekin::analysis {

constexpr std::uint32_t kNoWait = 0xFFFFFFFF;

struct Part {
  Time start = 0, end = 0;
  ThreadIndex thread = kNobody;  // whose time it is
  ThreadIndex by = kNobody;      // whom it waited for, or who had the processor
  SpanIndex by_span = kNoSpan;   // what `by` worked for when this part ended
  std::uint32_t wait = kNoWait;  // the index of a Wait, which says more
  std::uint16_t depth = 0;
  std::uint16_t what =
      0;  // in a call: its name; interrupted: the name of an irq, or a softirq's vector
  Cause cause = Cause::kUnknown;
  Reason reason = Reason::kNone;     // unknown: why
  State state = State::kUnknown;     // running: whether in the user's program or in a call
  Context context = Context::kTask;  // interrupted: by what
  bool queued = false;               // no thread worked for the span
  bool idle = false;                 // ready, although some processor was idle

  Time length() const { return end - start; }
};

/// Which threads a span's parts are taken from.
enum class Basis : std::uint8_t {
  kScopes,  // those that had it active
  kThread,  // the one that started and finished it, because it has no scopes
  kFinish,  // the one that finished it, with all that it waited for: it has no scopes, and moved
  kNone     // no thread is known
};

struct Explanation {
  std::vector<Part> parts;
  Time own = 0;  // of the span's time what none of its children explains
  Basis basis = Basis::kNone;
  bool cut = false;  // too many parts: some at a depth above 0 were left out
};

/// A wait is followed to what others did meanwhile if it takes a thousandth of the span or more, as
/// long as the span has fewer parts than this.
constexpr std::size_t kMaxParts = 100'000;

Explanation Explain(const Timelines& timelines, const Spans& spans, SpanIndex span);

/// The parts of a thread's time from `from` to `to`, as if that were a span.
std::vector<Part> ExplainThread(const Timelines& timelines, const Spans& spans, ThreadIndex thread,
                                Time from, Time to);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_CRITICAL_PATH_H
