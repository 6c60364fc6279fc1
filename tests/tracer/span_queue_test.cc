// SPDX-License-Identifier: Apache-2.0
// Compares the queue of finished spans with a simple model, in random histories generated from a
// seed, and uses it on many threads. tests/exporter tests its individual properties.

#include "exporter/pipeline/span_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/drain.h"
#include "tests/support/seed.h"

namespace tracekin::testing {
namespace {

using What = exporter::SpanQueue::What;

/// Returns a span of `size` bytes that carries `number` and is filled with it.
std::string Bytes(std::uint64_t number, std::size_t size) {
  exporter::SpanHeader header{};
  header.size = static_cast<std::uint32_t>(size);
  header.span_id = number;
  std::string bytes(size, static_cast<char>(number));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

bool Push(exporter::SpanQueue* queue, std::uint64_t number, std::size_t size,
          std::uint32_t thread = 0) {
  const std::string bytes = Bytes(number, size);
  return queue->Push(bytes.data(), static_cast<std::uint32_t>(size), thread);
}

/// Returns the numbers of the spans and reports an error for each damaged span.
std::vector<std::uint64_t> Drain(exporter::SpanQueue* queue, What what = What::kEverything) {
  std::vector<std::uint64_t> numbers;
  const std::size_t drained = DrainTo(queue, what, [&](const char* span) {
    exporter::SpanHeader header;
    std::memcpy(&header, span, sizeof header);
    EXPECT_EQ(std::string(span, header.size), Bytes(header.span_id, header.size));
    numbers.push_back(header.span_id);
  });
  EXPECT_EQ(drained, numbers.size());
  return numbers;
}

TEST(SpanQueue, DrainEndsThoughItIsRefilledMeanwhile) {
  exporter::SpanQueue queue(64, 1 << 18);
  std::uint64_t number = 0;
  while (Push(&queue, number, 300)) ++number;
  std::size_t visited = 0;
  DrainTo(&queue, What::kEverything, [&](const char*) {
    if (++visited < 10'000) Push(&queue, number++, 300);
  });
  EXPECT_LT(visited, 1000u);
}

TEST(SpanQueue, ThreadsThatShareASlotLoseNothing) {
  exporter::SpanQueue queue(64, 1 << 18);
  std::map<std::uint64_t, int> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Push(&queue, i, 100 + i, static_cast<std::uint32_t>(i % 7)));
    if (i % 20 == 0) {
      for (const std::uint64_t number : Drain(&queue)) ++seen[number];
    }
  }
  for (const std::uint64_t number : Drain(&queue)) ++seen[number];
  EXPECT_EQ(seen.size(), 1000u);
}

class SpanQueueModel : public ::testing::TestWithParam<unsigned> {};

// Random pushes and drains of one thread, compared with a map of the spans that must be in the
// queue.
TEST_P(SpanQueueModel, AgreesWithAMap) {
  std::mt19937 random(Seed(GetParam()));
  exporter::SpanQueue queue(64 + random() % 500, (1 << 18) + random() % (1 << 20));
  std::map<std::uint64_t, std::size_t> model;
  std::uint64_t number = 0;
  std::uint64_t refused = 0;
  for (int step = 0; step < 5000; ++step) {
    if (random() % 100 != 0) {
      const std::size_t size =
          sizeof(exporter::SpanHeader) + random() % (random() % 10 == 0 ? 30'000 : 900);
      if (Push(&queue, ++number, size, static_cast<std::uint32_t>(random() % 3))) {
        model[number] = size;
      } else {
        ++refused;
      }
    } else {
      const What what = random() % 2 == 0 ? What::kFullChunks : What::kEverything;
      for (const std::uint64_t drained : Drain(&queue, what)) {
        ASSERT_EQ(model.erase(drained), 1u) << drained;
      }
      ASSERT_TRUE(what == What::kFullChunks || model.empty());
    }
  }
  EXPECT_EQ(Drain(&queue).size(), model.size());
  EXPECT_EQ(queue.accepted() + queue.refused(), number);
  EXPECT_EQ(queue.refused(), refused);
}

TEST_P(SpanQueueModel, LosesNothingBetweenThreads) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 20'000;
  exporter::SpanQueue queue(256, 1 << 18);
  std::vector<std::vector<bool>> taken(kThreads, std::vector<bool>(kEach));
  std::atomic<std::uint64_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(Seed(GetParam()) + static_cast<unsigned>(thread));
      for (std::uint64_t i = 0; i < kEach; ++i) {
        taken[thread][i] =
            Push(&queue, thread * kEach + i, sizeof(exporter::SpanHeader) + random() % 900,
                 static_cast<std::uint32_t>(thread));
      }
      --running;
    });
  }
  std::vector<int> drained(kThreads * kEach);
  std::uint64_t total = 0;
  for (bool last = false; !last;) {
    last = running == 0;
    for (const std::uint64_t number : Drain(&queue)) ++drained[number], ++total;
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t i = 0; i < drained.size(); ++i) {
    ASSERT_EQ(drained[i], taken[i / kEach][i % kEach] ? 1 : 0) << i;
  }
  EXPECT_EQ(queue.accepted(), total);
  EXPECT_EQ(queue.accepted() + queue.refused(), kThreads * kEach);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpanQueueModel, ::testing::Range(0u, 5u));

}  // namespace
}  // namespace tracekin::testing
