// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path.h"

#include <algorithm>
#include <utility>

namespace tracekin::analysis {

namespace {

// Waking an idle processor, or moving a thread to it, needs less time than this. If a thread is
// ready for longer while a processor is idle, something prevents it from using that processor.
constexpr Time kWakeLatency = 1'000'000;

// Parts below this depth are omitted, because readers of JSON limit the depth.
constexpr std::uint16_t kMaxDepth = 256;

// Limits the stack, because in a damaged trace two kernel threads may have created each other.
constexpr std::size_t kMaxWaiting = 4 * kMaxDepth;

// The actions of other threads during a wait are shown if the wait is at least 1/kShortest of the
// whole time.
constexpr Time kShortest = 1000;

// A period of a thread's time that has not been divided into parts yet.
struct Stretch {
  ThreadIndex thread;
  Time from, to;
  std::uint16_t depth;
  // The thread that waits for `thread`, or kNobody. The work of `thread`, which is a kernel thread,
  // replaces its wait.
  ThreadIndex instead_of = kNobody;
  bool queued = false;
  std::size_t segment = 0;  // near the segment of `thread` at `from`, to find that one quickly
  // If set, the stretch is not the time of a thread. It becomes `part` without changes.
  bool literal = false;
  Part part = {};
};

bool SameButTime(const Part& a, const Part& b) {
  return a.thread == b.thread && a.by == b.by && a.by_span == b.by_span && a.wait == b.wait &&
         a.depth == b.depth && a.what == b.what && a.cause == b.cause && a.reason == b.reason &&
         a.state == b.state && a.context == b.context && a.queued == b.queued && a.idle == b.idle;
}

class Walk {
 public:
  // `whole` is the length of the time to explain.
  Walk(const Timelines& timelines, const Spans& spans, Time whole)
      : timelines_(timelines), spans_(spans), shortest_(whole / kShortest) {}

  // Divides a stretch into parts, which follow those of earlier calls.
  void Tell(const Stretch& stretch) {
    waiting_.push_back(stretch);
    while (!waiting_.empty()) Step();
  }

  std::vector<Part> Take() { return std::move(parts_); }
  bool cut() const { return cut_; }

 private:
  void Step();
  Part Next(Stretch* stretch) const;
  void NextReady(const Segment& segment, const Stretch& stretch, Part* part) const;
  void NextBlocked(const Segment& segment, bool woken, Part* part) const;
  void NextUnseen(const Stretch& stretch, Part* part) const;
  void CutAtGaps(const Host& host, const Segment& segment, Part* part) const;
  bool Follows(const Part& part) const;
  void Follow(const Part& part, const Stretch& stretch);
  void Instead(const Stretch& stretch, Part* part) const;
  void Add(const Part& part);

  const Timelines& timelines_;
  const Spans& spans_;
  const Time shortest_;           // shorter waits are not explained by other threads
  std::vector<Stretch> waiting_;  // a stack: the last one is next
  std::vector<Part> parts_;
  bool cut_ = false;
};

void Walk::Step() {
  Stretch& stretch = waiting_.back();
  if (stretch.from >= stretch.to) {
    waiting_.pop_back();
    return;
  }
  if (stretch.literal) {
    Part part = stretch.part;
    part.start = stretch.from;
    part.end = stretch.to;
    waiting_.pop_back();
    Add(part);
    return;
  }
  Part part = Next(&stretch);
  const bool others = stretch.queued || IsThread(stretch.instead_of);
  if (others) part.end = std::min(part.end, spans_.NextChange(part.thread, part.start));
  const Stretch now = stretch;  // waiting_ may grow below
  stretch.from = part.end;
  if (Follows(part)) return Follow(part, now);
  Instead(now, &part);
  Add(part);
}

// Returns the first part of a stretch.
Part Walk::Next(Stretch* of) const {
  const Stretch& stretch = *of;
  Part part;
  part.start = stretch.from;
  part.end = stretch.to;
  part.thread = stretch.thread;
  part.depth = stretch.depth;
  part.queued = stretch.queued;
  if (!IsThread(stretch.thread)) {
    part.reason = Reason::kUnknownThread;
    return part;
  }
  const Thread& thread = timelines_.threads[stretch.thread];
  const std::size_t at = of->segment = IndexNear(thread.segments, of->segment, stretch.from);
  if (at == thread.segments.size()) {
    NextUnseen(stretch, &part);
    return part;
  }
  const Segment& segment = thread.segments[at];
  const bool last = at + 1 == thread.segments.size();
  if (!last) part.end = std::min(part.end, thread.segments[at + 1].start);
  switch (segment.state) {
    case State::kUnknown:
      part.reason = static_cast<Reason>(segment.what);
      break;
    case State::kDead:
      part.reason = Reason::kThreadEnded;
      break;
    case State::kRunning:
    case State::kUser:
    case State::kSystem:
      part.cause = Cause::kRunning;
      part.state = segment.state;
      part.what = segment.what;
      break;
    case State::kInterrupted:
      part.cause = Cause::kInterrupted;
      part.what = segment.what;
      part.context = segment.context;
      break;
    case State::kPreempted:
    case State::kReady:
      NextReady(segment, stretch, &part);
      part.idle = part.idle && part.length() >= kWakeLatency;
      break;
    case State::kBlocked:
      NextBlocked(segment, !last, &part);
      break;
  }
  CutAtGaps(timelines_.hosts[thread.host], segment, &part);
  return part;
}

// Explains time before the first event of the thread.
void Walk::NextUnseen(const Stretch& stretch, Part* part) const {
  const Thread& thread = timelines_.threads[stretch.thread];
  const Host& host = timelines_.hosts[thread.host];
  if (!thread.segments.empty()) part->end = std::min(part->end, thread.segments.front().start);
  if (IsThread(thread.maker)) {
    part->cause = Cause::kThread;  // the thread did not exist yet
    part->by = thread.maker;
  } else if (!host.kernel) {
    part->reason = Reason::kNoKernelTrace;
  } else if (part->start < host.first) {
    part->end = std::min(part->end, host.first);
    part->reason = Reason::kBeforeRecording;
  } else {
    part->reason = Reason::kNoWakeUp;
  }
}

// A ready thread waits for each thread that uses its processor, one turn after the other.
void Walk::NextReady(const Segment& segment, const Stretch& stretch, Part* part) const {
  const Host& host = timelines_.hosts[timelines_.threads[stretch.thread].host];
  part->cause = segment.state == State::kPreempted ? Cause::kPreempted : Cause::kReady;
  const std::size_t idle = IndexAt(host.idleness, part->start);
  part->idle = idle != host.idleness.size() && host.idleness[idle].idle;
  const std::size_t change = idle == host.idleness.size() ? 0 : idle + 1;
  if (change < host.idleness.size()) part->end = std::min(part->end, host.idleness[change].start);
  if (segment.where >= host.turns.size()) return;
  const auto& turns = host.turns[segment.where];
  const std::size_t turn = IndexAt(turns, part->start);
  const std::size_t next = turn == turns.size() ? 0 : turn + 1;
  if (next < turns.size()) part->end = std::min(part->end, turns[next].start);
  if (turn == turns.size()) return;
  if (IsThread(turns[turn].thread) && turns[turn].thread != stretch.thread) {
    part->by = turns[turn].thread;
  } else if (turns[turn].thread == kIdle) {
    part->cause = Cause::kReady;  // no other thread took its processor
  }
}

void Walk::NextBlocked(const Segment& segment, bool woken, Part* part) const {
  const Wait& wait = timelines_.waits[segment.where];
  part->wait = segment.where;
  part->cause = woken ? wait.cause : Cause::kUnknown;
  if (part->cause == Cause::kUnknown) {
    part->reason = woken ? wait.reason : Reason::kStillWaiting;
  } else {
    part->by = wait.packet != 0 ? timelines_.packets[wait.packet].sender : wait.by;
  }
}

// Marks the time in which events were lost as unknown. For a running thread, only the gaps of its
// own CPU count. If a gap is inside a wait, the wait is unknown until the end of the gap, because
// there may have been another wait before.
void Walk::CutAtGaps(const Host& host, const Segment& segment, Part* part) const {
  if (part->cause == Cause::kUnknown) return;
  const bool runs = part->cause == Cause::kRunning || part->cause == Cause::kInterrupted;
  const Part whole = *part;
  for (const auto& [cpu, gaps] : host.gaps) {
    if (runs && cpu != segment.where) continue;
    const auto gap = std::partition_point(
        gaps.begin(), gaps.end(), [&](const Gap& other) { return other.end <= whole.start; });
    if (gap == gaps.end() || gap->begin >= whole.end) continue;
    if (gap->begin > whole.start && whole.wait == kNoWait) {
      part->end = std::min(part->end, gap->begin);
      continue;
    }
    *part = {};
    part->start = whole.start;
    part->end = std::min(whole.end, gap->end);
    part->thread = whole.thread;
    part->depth = whole.depth;
    part->queued = whole.queued;
    part->reason = Reason::kDiscarded;
    return;
  }
}

bool Walk::Follows(const Part& part) const {
  const bool waits = part.wait != kNoWait || part.cause == Cause::kThread;
  return waits && part.cause != Cause::kUnknown && IsThread(part.by);
}

// Explains a wait by the actions of the thread that was waited for. If that thread sent a packet,
// the time after the packet was sent is attributed to the network. If that thread is a kernel
// thread, its work replaces the wait, because it works for the threads that wait for it. The name
// of a disk is also more useful than the name of that thread.
void Walk::Follow(const Part& part, const Stretch& stretch) {
  const std::uint32_t packet = part.wait == kNoWait ? 0 : timelines_.waits[part.wait].packet;
  const Time sent = timelines_.packets[packet].sent;
  const Time reached = sent != 0 ? std::clamp(sent, part.start, part.end) : part.end;
  const bool instead = timelines_.threads[part.by].kernel && part.cause != Cause::kNetwork;
  Part told = part;
  told.by_span = spans_.ActiveAt(part.by, reached - 1);
  if (IsThread(stretch.instead_of)) told.thread = stretch.instead_of;
  const bool full =
      parts_.size() >= kMaxParts || stretch.depth == kMaxDepth || waiting_.size() >= kMaxWaiting;
  cut_ = cut_ || full;
  const bool tell = !full && part.length() >= shortest_;
  if (!tell) return Add(told);
  if (!instead) parts_.push_back(told);  // not merged by Add(), because the next parts divide it
  if (instead) {
    Stretch work{part.by, part.start, reached, stretch.depth};
    work.instead_of = told.thread;
    work.queued = stretch.queued;
    waiting_.push_back(work);
    return;
  }
  const auto depth = static_cast<std::uint16_t>(stretch.depth + 1);
  if (reached < part.end) {
    Stretch way{part.thread, reached, part.end, depth};
    way.literal = true;
    way.part = told;
    way.part.depth = depth;
    way.part.by = kNobody;
    way.part.by_span = kNoSpan;
    waiting_.push_back(way);
  }
  waiting_.push_back({part.by, part.start, reached, depth});
}

// Turns a part of another thread's time into a part of the thread that waits for it, if the stretch
// replaces a wait or is queued.
void Walk::Instead(const Stretch& stretch, Part* part) const {
  if (!IsThread(stretch.instead_of) && !stretch.queued) return;
  switch (part->cause) {
    case Cause::kInterrupted:
    case Cause::kPreempted:
    case Cause::kReady:
      if (!IsThread(stretch.instead_of)) return;
      [[fallthrough]];
    case Cause::kRunning:
      part->cause = Cause::kThread;
      part->by = part->thread;
      part->state = State::kUnknown;
      part->context = Context::kTask;
      part->what = 0;
      part->idle = false;
      break;
    default:
      break;
  }
  if (IsThread(stretch.instead_of)) part->thread = stretch.instead_of;
}

void Walk::Add(const Part& part) {
  Part next = part;
  if (IsThread(next.by) && next.by_span == kNoSpan) {
    next.by_span = spans_.ActiveAt(next.by, next.end > 0 ? next.end - 1 : 0);
  }
  if (!parts_.empty() && parts_.back().end == next.start && SameButTime(parts_.back(), next)) {
    parts_.back().end = next.end;
    return;
  }
  parts_.push_back(next);
}

// Divides the time of a span, without gaps, among the threads that worked for it.
class Threads {
 public:
  Threads(const Spans& spans, SpanIndex index) : spans_(spans), index_(index), span_(spans[index]) {
    for (const ScopeTime& scope : span_.scopes) {
      if (scope.exit > scope.enter) scopes_.push_back(&scope);
    }
    std::sort(scopes_.begin(), scopes_.end(),
              [](const ScopeTime* a, const ScopeTime* b) { return a->exit < b->exit; });
  }

  Basis basis() const {
    if (!scopes_.empty()) return Basis::kScopes;
    if (!IsThread(span_.start_thread) && !IsThread(span_.finish_thread)) return Basis::kNone;
    const bool moved = IsThread(span_.start_thread) && IsThread(span_.finish_thread) &&
                       span_.start_thread != span_.finish_thread;
    return moved ? Basis::kFinish : Basis::kThread;
  }

  std::vector<Stretch> Divide() {
    if (scopes_.empty()) {
      const ThreadIndex thread =
          IsThread(span_.finish_thread) ? span_.finish_thread : span_.start_thread;
      Give(thread, span_.start, basis() == Basis::kFinish);
    } else {
      DivideByScopes();
    }
    std::reverse(stretches_.begin(), stretches_.end());
    return std::move(stretches_);
  }

 private:
  // Visits the scopes from the end of the span to its start. If several scopes are open at the same
  // time, the scope that ends last counts as long as it is open, because the span could not end
  // before it. The time between two scopes belongs to the thread that continues the span, so that
  // its earlier work is shown.
  void DivideByScopes() {
    ThreadIndex next = span_.finish_thread;
    if (!IsThread(next)) next = scopes_.back()->thread;
    for (std::size_t left = scopes_.size(); left > 0 && reached_ > span_.start;) {
      const ScopeTime& scope = *scopes_[left - 1];
      if (scope.enter >= reached_) {
        --left;
        continue;
      }
      if (scope.exit < reached_) GiveGap(next, scope.exit, scope.thread);
      Give(scope.thread, scope.enter, false);
      next = scope.thread;
      --left;
    }
    GiveGap(next, span_.start, IsThread(span_.start_thread) ? span_.start_thread : next);
  }

  // Assigns time in which no scope is open to `next`. The span is queued in that time if another
  // thread continues it, or the same thread after other work.
  void GiveGap(ThreadIndex next, Time from, ThreadIndex before) {
    from = std::max(from, span_.start);
    Give(next, from, next != before || spans_.WorkedForOther(next, from, reached_, index_));
  }

  // Assigns the rest of the span's time, back to `from`, to `thread`.
  void Give(ThreadIndex thread, Time from, bool queued) {
    from = std::max(from, span_.start);
    if (from >= reached_) return;
    Stretch stretch{thread, from, reached_, 0};
    stretch.queued = queued;
    stretches_.push_back(stretch);
    reached_ = from;
  }

  const Spans& spans_;
  const SpanIndex index_;
  const SpanRecord& span_;
  std::vector<const ScopeTime*> scopes_;  // sorted by exit
  std::vector<Stretch> stretches_;        // from the end to the start
  Time reached_ = span_.end;
};

// Sets the server of a call if the packets do not identify it, because its kernel was not recorded.
// The server is a child of the span in another process, if the child was open during the wait.
void NameServers(const Spans& spans, const SpanRecord& span, std::vector<Part>* parts) {
  for (Part& part : *parts) {
    if (part.depth > 0 || part.cause != Cause::kNetwork || IsThread(part.by)) continue;
    for (const SpanIndex child : span.children) {
      const SpanRecord& server = spans[child];
      const bool elsewhere = server.pid != span.pid || server.host != span.host;
      if (!elsewhere || server.start >= part.end || server.end <= part.start) continue;
      part.by = server.start_thread;
      part.by_span = child;
    }
  }
}

Time OwnTime(const Spans& spans, const SpanRecord& span) {
  Time covered = 0, reached = span.start;
  for (const SpanIndex child : span.children) {
    const Time from = std::max(spans[child].start, reached);
    const Time to = std::min(spans[child].end, span.end);
    if (to <= from) continue;
    covered += to - from;
    reached = to;
  }
  return span.duration() - covered;
}

}  // namespace

Explanation Explain(const Timelines& timelines, const Spans& spans, SpanIndex index) {
  const SpanRecord& span = spans[index];
  Explanation explanation;
  explanation.own = OwnTime(spans, span);
  Threads threads(spans, index);
  explanation.basis = threads.basis();
  Walk walk(timelines, spans, span.duration());
  for (const Stretch& stretch : threads.Divide()) walk.Tell(stretch);
  explanation.parts = walk.Take();
  explanation.cut = walk.cut();
  NameServers(spans, span, &explanation.parts);
  return explanation;
}

DiskTime DiskTimeOf(const Timelines& timelines, const Part& part) {
  const std::uint32_t index = part.wait == kNoWait ? 0 : timelines.waits[part.wait].request;
  const DiskRequest& request = timelines.requests[index];
  const auto common = [&](Time from, Time to) {
    const Time begin = std::max(from, part.start), end = std::min(to, part.end);
    return from != 0 && begin < end ? end - begin : 0;
  };
  return {common(request.inserted, request.issued), common(request.issued, request.completed)};
}

std::vector<Part> ExplainThread(const Timelines& timelines, const Spans& spans, ThreadIndex thread,
                                Time from, Time to) {
  Walk walk(timelines, spans, to - from);
  walk.Tell({thread, from, to, 0});
  return walk.Take();
}

}  // namespace tracekin::analysis
