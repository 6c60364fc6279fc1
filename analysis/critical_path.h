// SPDX-License-Identifier: Apache-2.0
// Divides the time of a span from start to finish into parts, without gaps or overlaps.
//
// The parts at depth 0 follow each other from the start of the span to its end. If a part at depth
// n is a wait for another thread, the parts at depth n + 1 show what that thread did in that time.
// They directly follow the part that they explain, and divide its time without gaps as well. The
// parts of a span are therefore a tree in the order in which it is printed.
//
// Thread-safety: the functions only access their arguments.
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
  ThreadIndex thread = kNobody;  // the thread whose time this is
  ThreadIndex by = kNobody;      // the thread that it waited for, or that used the processor
  SpanIndex by_span = kNoSpan;   // the span that `by` worked for when this part ended
  std::uint32_t wait = kNoWait;  // the index of a Wait with more details
  std::uint16_t depth = 0;
  // In a system call: its name. Interrupted: the name of the irq, or the softirq's vector.
  std::uint16_t what = 0;
  Cause cause = Cause::kUnknown;
  Reason reason = Reason::kNone;     // the reason if the cause is unknown
  State state = State::kUnknown;     // user mode or system call, if it was running
  Context context = Context::kTask;  // the kind of interruption, if it was interrupted
  bool queued = false;               // true if no thread worked for the span
  bool idle = false;                 // true if the thread was ready while a processor was idle

  Time length() const { return end - start; }
};

/// The threads from which the parts of a span are derived.
enum class Basis : std::uint8_t {
  kScopes,  // the threads on which the span was active
  kThread,  // without scopes: the thread that started and finished the span
  kFinish,  // without scopes, started by another thread: the finishing thread and its waits
  kNone     // no thread is known
};

struct Explanation {
  std::vector<Part> parts;
  Time own = 0;  // the part of the span's time that none of its children covers
  Basis basis = Basis::kNone;
  bool cut = false;  // true if parts at depths above 0 were omitted because there were too many
};

/// While a span has fewer parts than this, each wait of at least a thousandth of the span is
/// explained by the actions of the thread that it waited for.
constexpr std::size_t kMaxParts = 100'000;

/// Explains the time of a span.
Explanation Explain(const Timelines& timelines, const Spans& spans, SpanIndex span);

/// The times that a request spent in a queue of the kernel and in the device during a wait for a
/// disk. The rest of the wait is before the request was made, or after it was completed.
struct DiskTime {
  Time queue = 0;    // in a queue of the kernel
  Time service = 0;  // in the device
};

/// Returns the two times of a part. They are 0 if the part is not a wait for a disk, or if the
/// trace does not contain the beginning of the request.
DiskTime DiskTimeOf(const Timelines& timelines, const Part& part);

/// Returns the parts of a thread's time from `from` to `to`, as if that time were a span.
std::vector<Part> ExplainThread(const Timelines& timelines, const Spans& spans, ThreadIndex thread,
                                Time from, Time to);

}  // namespace tracekin::analysis

#endif  // TRACEKIN_ANALYSIS_CRITICAL_PATH_H
