// SPDX-License-Identifier: Apache-2.0
// Runs the queue's threads in every order in which they can interleave. The queue's source is
// compiled here a second time with atomics that can be preempted. TRACEKIN_PREEMPTIONS sets the
// number of preemptions, 2 by default.

#include "tests/support/interleavings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "exporter/pipeline/span_queue.cc"  // NOLINT(bugprone-suspicious-include)

namespace tracekin::testing {
namespace {

using namespace exporter;

using Queue = BasicSpanQueue<InterleavedAtomic>;

struct Scenario {
  const char* name;
  std::vector<std::uint32_t> producers;  // the threads' numbers; equal remainders share a slot
  std::uint64_t pushes;                  // per producer
  std::uint64_t chunks;                  // four chunks have one slot
  std::uint64_t spans_per_chunk;
  int reads;  // number of times that the reader collects while they push
  Queue::What what = Queue::What::kEverything;
  bool used = false;  // true if all chunks were used before
};

std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

std::string NameOf(const ::testing::TestParamInfo<Scenario>& info) { return info.param.name; }

const Scenario kScenarios[] = {
    {"TwoOnOneSlot", {0, 1}, 2, 4, 1, 2},
    {"TwoOnOneSlotThatFillsUp", {0, 1}, 3, 4, 1, 1},
    {"TwoOnOneSlotWithSharedChunks", {0, 1}, 3, 4, 2, 2},
    {"OneOnEachSlot", {0, 1}, 2, 8, 2, 2},
    {"ThreeOnOneSlot", {0, 1, 2}, 1, 4, 1, 1},
    {"TwoOnOneSlotOfUsedChunks", {0, 1}, 2, 4, 1, 2, Queue::What::kEverything, true},
    // In this case a chunk may return on top of the free ones while one below it is in use.
    {"ReaderOfFullChunksThatWereUsed", {0, 1}, 2, 4, 1, 2, Queue::What::kFullChunks, true},
};

struct Span {
  SpanHeader header{};
  std::uint64_t check = 0;

  explicit Span(std::uint64_t id) {
    header.size = sizeof *this;
    header.span_id = id;
    check = ~id;
  }
};

class InterleavedQueue : public ::testing::TestWithParam<Scenario> {
 protected:
  InterleavedQueue()
      : queue_(GetParam().chunks * GetParam().spans_per_chunk,
               GetParam().chunks * Queue::kChunkBytes) {}

  bool Push(std::uint64_t id, std::uint32_t thread) {
    const Span span(id);
    return queue_.Push(reinterpret_cast<const char*>(&span), sizeof span, thread);
  }

  void Read(Queue::What what = Queue::What::kEverything) {
    queue_.Collect(what);
    while (!queue_.drained()) {
      queue_.ReadChunk([this](const char* bytes) {
        Span span(0);
        std::memcpy(static_cast<void*>(&span), bytes, sizeof span);
        read_.push_back(span.check == ~span.header.span_id ? span.header.span_id : 0);
      });
    }
  }

  // Checks the result once the threads have ended.
  void Check(std::vector<std::uint64_t> taken) {
    EXPECT_EQ(queue_.accepted() - accepted_, taken.size());
    EXPECT_EQ(queue_.refused() - refused_,
              GetParam().pushes * GetParam().producers.size() - taken.size());
    Read();
    std::sort(read_.begin(), read_.end());
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(read_, taken);
    // No chunk is lost or present twice.
    const std::uint64_t room = GetParam().chunks * GetParam().spans_per_chunk;
    std::vector<std::uint64_t> ids(room);
    std::iota(ids.begin(), ids.end(), 1000);
    for (const std::uint64_t id : ids) EXPECT_TRUE(Push(id, 0));
    EXPECT_FALSE(Push(1, 0));
    read_.clear();
    Read();
    EXPECT_EQ(read_, ids);
    if (!GetParam().used) queue_.Reset();
    Forget();
  }

  // Resets the state that Check() compares.
  void Forget() {
    read_.clear();
    accepted_ = queue_.accepted();
    refused_ = queue_.refused();
  }

  Queue queue_;
  std::uint64_t accepted_ = 0;  // queue_.accepted() before the current run
  std::uint64_t refused_ = 0;
  std::vector<std::uint64_t> read_;
};

TEST_P(InterleavedQueue, LosesRepeatsAndChangesNothing) {
  const Scenario& scenario = GetParam();
  const char* const asked = std::getenv("TRACEKIN_PREEMPTIONS");
  const int producers = static_cast<int>(scenario.producers.size());
  Interleavings interleavings(producers + 1, asked == nullptr ? 2 : std::atoi(asked));
  if (scenario.used) {
    for (std::uint64_t id = 1000; Push(id, 0); ++id) {
    }
    Read();
    Forget();
  }
  while (interleavings.Next()) {
    std::vector<std::uint64_t> taken;
    interleavings.Run([&](int thread) {
      if (thread == producers) {
        for (int i = 0; i < scenario.reads; ++i) Read(scenario.what);
        return;
      }
      const std::uint32_t number = scenario.producers[static_cast<std::size_t>(thread)];
      for (std::uint64_t i = 1; i <= scenario.pushes; ++i) {
        const std::uint64_t id = 10 * (number + 1) + i;
        if (Push(id, number)) taken.push_back(id);
      }
    });
    Check(taken);
    ASSERT_FALSE(HasFailure()) << "in the order " << interleavings.schedule();
  }
  std::printf("%zu orders\n", interleavings.count());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, InterleavedQueue, ::testing::ValuesIn(kScenarios), NameOf);

}  // namespace
}  // namespace tracekin::testing
