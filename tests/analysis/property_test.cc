// SPDX-License-Identifier: Apache-2.0
// Compares the results of the analysis with random schedules, and checks that the parts add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/analysis/story.h"

namespace tracekin::analysis {
namespace {

constexpr int kThreads = 6;
constexpr std::uint32_t kCpus = 3;

// A machine that makes random decisions and records the true cause of each thread's time.
class Schedule {
 public:
  explicit Schedule(unsigned seed) : random_(seed), story_(kCpus) {
    for (int thread = 1; thread <= kThreads; ++thread) Become(thread, Cause::kReady);
    for (std::uint32_t cpu = 0; cpu < kCpus; ++cpu) Run(cpu);
  }

  void Go(int steps) {
    for (; steps > 0; --steps) {
      time_ += 1 + Below(9);
      const std::uint32_t cpu = Below(kCpus);
      switch (Below(4)) {
        case 0:
          Run(cpu);
          break;
        case 1:
          if (on_[cpu] != 0) Block(cpu);
          break;
        default:
          WakeOne(cpu);
      }
      for (int thread = 1; thread <= kThreads; ++thread) Note(thread);
    }
    time_ += 5;
    Event& last = story_.New(time_, Kind::kSoftirqRaise, 0);
    last.number[0] = 0;
    story_.Tell();
  }

  Story& story() { return story_; }
  Time end() const { return time_; }

  // The causes of a thread's time from its first run on, such as "running 10; lock 30".
  std::string Truth(int thread) const {
    std::string text;
    const auto& changes = truth_[thread];
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const Time end = i + 1 < changes.size() ? changes[i + 1].start : time_;
      Append(changes[i].cause, end - changes[i].start, &text);
    }
    return text;
  }
  Time Begin(int thread) const { return truth_[thread].empty() ? time_ : truth_[thread][0].start; }

  static void Append(Cause cause, Time length, std::string* text) {
    if (length == 0) return;
    *text += std::string(Word(cause)) + ' ' + std::to_string(length) + "; ";
  }

 private:
  struct Change {
    Time start;
    Cause cause;
  };
  static constexpr struct {
    const char* call;
    Cause cause;
  } kCalls[] = {{"futex", Cause::kLock},   {"nanosleep", Cause::kTimer},
                {"pread64", Cause::kDisk}, {"wait4", Cause::kChild},
                {"read", Cause::kThread},  {"recvmsg", Cause::kNetwork},
                {"poll", Cause::kInput}};

  unsigned Below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  void Become(int thread, Cause cause) {
    state_[thread] = cause;
    Note(thread);
  }

  // A preempted thread whose processor is idle counts as ready. The time before its first run is
  // not recorded.
  void Note(int thread) {
    auto& changes = truth_[thread];
    Cause cause = state_[thread];
    if (cause == Cause::kPreempted && on_[where_[thread]] == 0) cause = Cause::kReady;
    if (changes.empty() && cause != Cause::kRunning) return;
    if (!changes.empty() && changes.back().cause == cause) return;
    changes.push_back({time_, cause});
  }

  // A ready thread gets the CPU.
  void Run(std::uint32_t cpu) {
    std::vector<int> ready;
    for (int thread = 1; thread <= kThreads; ++thread) {
      if (state_[thread] == Cause::kReady || state_[thread] == Cause::kPreempted) {
        ready.push_back(thread);
      }
    }
    if (ready.empty()) return;
    const int next = ready[Below(static_cast<unsigned>(ready.size()))];
    const int prev = on_[cpu];
    on_[cpu] = next;
    where_[next] = cpu;
    story_.Migrates(time_, next, cpu);
    story_.Runs(time_, next, cpu);
    if (prev != 0) Become(prev, Cause::kPreempted);
    Become(next, Cause::kRunning);
    if (waits_[next] != nullptr) story_.Returns(time_, next);
    waits_[next] = nullptr;
  }

  void Block(std::uint32_t cpu) {
    const int thread = on_[cpu];
    const auto& call = kCalls[Below(sizeof kCalls / sizeof *kCalls)];
    story_.Call(time_, thread, call.call);
    story_.Blocks(time_, thread);
    waits_[thread] = &call.cause;
    on_[cpu] = 0;
    Become(thread, call.cause);
  }

  // The CPU wakes a thread in the way that ends the thread's wait.
  void WakeOne(std::uint32_t cpu) {
    const int thread = 1 + static_cast<int>(Below(kThreads));
    const Cause* const cause = waits_[thread];
    if (cause == nullptr || state_[thread] != *cause) return;
    const bool by_thread =
        *cause == Cause::kLock || *cause == Cause::kChild || *cause == Cause::kThread;
    if (by_thread) {
      if (on_[cpu] == 0) return;
      story_.Wakes(time_, on_[cpu], thread);
    } else if (*cause == Cause::kTimer) {
      story_.Expires(time_, cpu, thread);
    } else if (*cause == Cause::kNetwork) {
      story_.Arrives(time_, cpu, 80, 4000, static_cast<int>(time_), thread);
    } else {
      story_.Irq(time_, cpu, *cause == Cause::kInput ? "i8042" : "virtio0");
      if (*cause == Cause::kDisk) story_.DiskDone(time_, cpu, 1);
      story_.WakesFrom(time_, cpu, thread);
      story_.Simply(time_, Kind::kIrqExit, cpu);
    }
    Become(thread, Cause::kReady);
  }

  std::mt19937 random_;
  Story story_;
  Time time_ = 100;
  int on_[kCpus] = {};
  std::uint32_t where_[kThreads + 1] = {};
  Cause state_[kThreads + 1] = {};
  const Cause* waits_[kThreads + 1] = {};
  std::vector<Change> truth_[kThreads + 1];
};

// Formats the parts at depth 0 in the same way as Truth().
std::string Told(const std::vector<Part>& parts) {
  std::string text;
  Cause cause = Cause::kUnknown;
  Time length = 0;
  for (const Part& part : parts) {
    if (part.depth > 0) continue;
    if (part.cause != cause) {
      Schedule::Append(cause, length, &text);
      cause = part.cause;
      length = 0;
    }
    length += part.length();
  }
  Schedule::Append(cause, length, &text);
  return text;
}

// Expects that the parts divide the whole, and that each part's parts divide that part, in order
// and without gaps or overlaps.
void ExpectPartition(const std::vector<Part>& parts, Time from, Time to) {
  std::vector<Time> reached = {from}, ends = {to};
  for (const Part& part : parts) {
    while (ends.size() > part.depth + 1u) {
      EXPECT_EQ(reached.back(), ends.back());
      reached.pop_back();
      ends.pop_back();
    }
    ASSERT_EQ(ends.size(), part.depth + 1u);
    ASSERT_EQ(part.start, reached.back());
    ASSERT_GT(part.end, part.start);
    reached.back() = part.end;
    reached.push_back(part.start);
    ends.push_back(part.end);
    // A part without explanation at the next depth has no parts to add up.
    const auto next = &part + 1;
    if (next == parts.data() + parts.size() || next->depth <= part.depth) {
      reached.pop_back();
      ends.pop_back();
    }
  }
  while (!ends.empty()) {
    EXPECT_EQ(reached.back(), ends.back());
    reached.pop_back();
    ends.pop_back();
  }
}

void ExpectToldAsItWas(unsigned seed) {
  Schedule schedule(seed);
  schedule.Go(300);
  Engine& engine = schedule.story().Done();
  const auto& threads = engine.timelines().threads;
  for (ThreadIndex index = 0; index < threads.size(); ++index) {
    const int thread = threads[index].tid;
    const Time begin = schedule.Begin(thread), end = schedule.end();
    const auto explain = [&](Time from, Time to) {
      return ExplainThread(engine.timelines(), engine.spans(), index, from, to);
    };
    const std::vector<Part> whole = explain(begin, end);
    ExpectPartition(whole, begin, end);

    // The last wait may continue beyond the end. Its cause is then unknown.
    std::string truth = schedule.Truth(thread), told = Told(whole);
    if (!whole.empty() && whole.back().reason == Reason::kStillWaiting) {
      truth.erase(truth.rfind("; ", truth.size() - 3) + 2);
      told.erase(told.rfind("; ", told.size() - 3) + 2);
    }
    EXPECT_EQ(told, truth) << "thread " << thread;

    // The whole equals the sum of its halves.
    const Time middle = begin + (end - begin) / 2;
    std::vector<Time> causes(static_cast<std::size_t>(Cause::kCount));
    for (const Part& part : whole) {
      if (part.depth == 0) causes[static_cast<std::size_t>(part.cause)] += part.length();
    }
    for (const auto& [from, to] : {std::pair(begin, middle), {middle, end}}) {
      const std::vector<Part> half = explain(from, to);
      ExpectPartition(half, from, to);
      for (const Part& part : half) {
        if (part.depth == 0) causes[static_cast<std::size_t>(part.cause)] -= part.length();
      }
    }
    EXPECT_EQ(causes, std::vector<Time>(causes.size()));
  }
}

// Passes events to `engine` in an order, and with numbers, that no kernel would record.
void TellGarbage(unsigned seed, Engine* engine) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  engine->SetHost(0, {below(2) == 0 ? 1'000'000'000 : 1 + below(3'000'000'000), 0}, below(2) == 0);
  std::uint64_t cycles = 1000;
  for (int i = 0; i < 2000; ++i) {
    Event event;
    cycles = below(20) == 0 ? below(cycles + 1000) : cycles + below(50);
    event.cycles = cycles;
    event.kind = static_cast<Kind>(below(static_cast<std::uint64_t>(Kind::kCount)));
    event.host = static_cast<std::uint16_t>(below(50) == 0 ? 1 : 0);
    event.cpu = static_cast<std::uint32_t>(below(100) == 0 ? random() : below(3));
    event.tid = static_cast<std::int32_t>(below(5)) - 1;
    event.pid_namespace = below(2) == 0 ? 0 : 4711;
    for (std::int64_t& number : event.number) {
      const std::uint64_t kind = below(20);
      number = kind == 0   ? kAbsent
               : kind == 1 ? static_cast<std::int64_t>(random())
                           : static_cast<std::int64_t>(below(6)) - 1;
    }
    for (std::string_view& text : event.text) text = below(2) == 0 ? "futex" : "irq";
    engine->Take(event);
  }
  engine->Finish();
}

TEST(Garbage, IsDividedToo) {
  std::size_t spans = 0;
  for (unsigned seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Engine engine;
    TellGarbage(seed, &engine);
    for (SpanIndex span = 0; span < engine.spans().all().size(); ++span, ++spans) {
      const SpanRecord& record = engine.spans()[span];
      ExpectPartition(engine.Why(span).parts, record.start, record.end);
    }
  }
  EXPECT_GT(spans, 1000u);
}

TEST(RandomSchedule, IsToldAsItWas) {
  for (unsigned seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ExpectToldAsItWas(seed);
  }
}

}  // namespace
}  // namespace tracekin::analysis
