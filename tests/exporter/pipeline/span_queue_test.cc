// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/span_queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/drain.h"

namespace tracekin::exporter {
namespace {

constexpr std::uint64_t kBytes = 4 * SpanQueue::kChunkBytes;

// Returns a span of `size` bytes. Every byte after the header identifies the span.
std::string MakeSpan(std::uint64_t id, std::uint32_t size = sizeof(SpanHeader)) {
  std::string span(size, static_cast<char>(id));
  SpanHeader header{};
  header.size = size;
  header.span_id = id;
  std::memcpy(span.data(), &header, sizeof header);
  return span;
}

bool Push(SpanQueue* queue, const std::string& span, std::uint32_t thread = 0) {
  return queue->Push(span.data(), static_cast<std::uint32_t>(span.size()), thread);
}

std::vector<std::string> Drain(SpanQueue* queue,
                               SpanQueue::What what = SpanQueue::What::kEverything) {
  std::vector<std::string> spans;
  const std::size_t count = testing::DrainTo(queue, what, [&spans](const char* span) {
    SpanHeader header;
    std::memcpy(&header, span, sizeof header);
    spans.emplace_back(span, header.size);
  });
  EXPECT_EQ(count, spans.size());
  return spans;
}

TEST(SpanQueue, GivesBackWhatWasPushedInOrder) {
  SpanQueue queue(1000, kBytes);
  std::vector<std::string> pushed;
  for (std::uint64_t id = 1; id <= 50; ++id) {
    // sizes that are not multiples of the alignment
    pushed.push_back(MakeSpan(id, static_cast<std::uint32_t>(sizeof(SpanHeader) + 3 * id)));
    ASSERT_TRUE(Push(&queue, pushed.back()));
  }
  EXPECT_EQ(Drain(&queue), pushed);
  EXPECT_TRUE(Drain(&queue).empty());
  EXPECT_EQ(queue.accepted(), 50U);
  EXPECT_EQ(queue.refused(), 0U);
}

TEST(SpanQueue, LeavesChunksThatAreNotFullUntilEverythingIsAskedFor) {
  SpanQueue queue(1000, kBytes);
  ASSERT_TRUE(Push(&queue, MakeSpan(1)));
  EXPECT_TRUE(Drain(&queue, SpanQueue::What::kFullChunks).empty());
  EXPECT_EQ(Drain(&queue).size(), 1U);
}

TEST(SpanQueue, TakesTheLargestSpan) {
  SpanQueue queue(1000, kBytes);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(Push(&queue, MakeSpan(1, kMaxSpanBytes - 16)));
  EXPECT_FALSE(Push(&queue, MakeSpan(1, kMaxSpanBytes)));
  EXPECT_EQ(Drain(&queue).size(), 8U);
}

TEST(SpanQueue, IsBoundedInSpans) {
  constexpr std::uint64_t kSpans = 64;
  SpanQueue queue(kSpans, kBytes);
  std::uint64_t taken = 0;
  while (Push(&queue, MakeSpan(1))) ++taken;
  EXPECT_EQ(taken, kSpans);
  EXPECT_EQ(queue.accepted(), kSpans);
  EXPECT_EQ(queue.refused(), 1U);
}

TEST(SpanQueue, IsBoundedInBytesAndUsesMostOfThem) {
  SpanQueue queue(1'000'000, kBytes);
  std::uint64_t taken = 0;
  const std::string span = MakeSpan(1, 1000);
  while (Push(&queue, span)) ++taken;
  EXPECT_LE(taken * span.size(), kBytes);
  EXPECT_GE(taken * span.size(), kBytes * 9 / 10);
}

TEST(SpanQueue, TakesSpansAgainAfterItWasFull) {
  SpanQueue queue(64, kBytes);
  for (int round = 0; round < 100; ++round) {
    std::size_t taken = 0;
    while (Push(&queue, MakeSpan(7))) ++taken;
    ASSERT_EQ(taken, 64U);
    ASSERT_EQ(Drain(&queue).size(), taken);
  }
}

TEST(SpanQueue, OneThreadCanUseTheWholeQueueWhateverItsNumber) {
  for (const std::uint32_t thread : {0U, 1U, 63U, 64U, 4'000'000'000U}) {
    SpanQueue queue(64, kBytes);
    std::size_t taken = 0;
    while (Push(&queue, MakeSpan(7), thread)) ++taken;
    EXPECT_EQ(taken, 64U) << thread;
  }
}

TEST(SpanQueue, ResetForgetsEverything) {
  SpanQueue queue(64, kBytes);
  while (Push(&queue, MakeSpan(7))) {
  }
  queue.Reset();
  EXPECT_EQ(queue.accepted(), 0U);
  EXPECT_EQ(queue.refused(), 0U);
  EXPECT_TRUE(Drain(&queue).empty());
  std::size_t taken = 0;
  while (Push(&queue, MakeSpan(7))) ++taken;
  EXPECT_EQ(taken, 64U);
}

// Every accepted span is read once and unchanged; the others are counted. There are more threads
// than slots, so that some share a slot, and the queue is so small that it is sometimes full.
TEST(SpanQueue, LosesAndChangesNothingUnderManyThreads) {
  constexpr std::uint32_t kThreads = 6;
  constexpr std::uint64_t kEach = 20'000;
  SpanQueue queue(2048, 8 * SpanQueue::kChunkBytes);

  std::atomic<bool> done{false};
  std::map<std::uint64_t, std::uint64_t> seen;  // id -> count
  bool whole = true;
  const auto visit = [&](const char* span) {
    SpanHeader header;
    std::memcpy(&header, span, sizeof header);
    ++seen[header.span_id];
    whole = whole && std::string(span, header.size) == MakeSpan(header.span_id, header.size);
  };
  std::thread consumer([&] {
    for (int round = 0; !done; ++round) {
      testing::DrainTo(&queue,
                       round % 4 == 0 ? SpanQueue::What::kEverything : SpanQueue::What::kFullChunks,
                       visit);
      std::this_thread::yield();
    }
  });

  std::vector<std::vector<std::uint64_t>> accepted(kThreads);
  std::vector<std::thread> producers;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    producers.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        const std::uint64_t id = thread * kEach + i + 1;
        const auto size = static_cast<std::uint32_t>(sizeof(SpanHeader) + id % 300);
        if (Push(&queue, MakeSpan(id, size), thread)) accepted[thread].push_back(id);
      }
    });
  }
  for (auto& producer : producers) producer.join();
  done = true;
  consumer.join();
  testing::DrainTo(&queue, SpanQueue::What::kEverything, visit);

  std::uint64_t total = 0;
  for (const auto& ids : accepted) {
    total += ids.size();
    for (const std::uint64_t id : ids) ASSERT_EQ(seen[id], 1U) << id;
  }
  EXPECT_TRUE(whole);
  EXPECT_EQ(seen.size(), total);
  EXPECT_EQ(queue.accepted(), total);
  EXPECT_EQ(queue.accepted() + queue.refused(), kThreads * kEach);
}

}  // namespace
}  // namespace tracekin::exporter
