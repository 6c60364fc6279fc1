// SPDX-License-Identifier: Apache-2.0
#include "ctf/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/seed.h"

namespace tracekin::ctf {
namespace {

// A stream of times. Each event is a time and the number of its stream.
class Stream {
 public:
  Stream(std::size_t number, std::vector<std::uint64_t> times)
      : number_(number), times_(std::move(times)) {}

  bool Next() { return ++at_ <= times_.size(); }
  std::uint64_t cycles() const { return times_[at_ - 1]; }
  std::pair<std::uint64_t, std::size_t> event() const { return {cycles(), number_}; }

 private:
  const std::size_t number_;
  const std::vector<std::uint64_t> times_;
  std::size_t at_ = 0;
};

using Events = std::vector<std::pair<std::uint64_t, std::size_t>>;

Events Merged(const std::vector<std::vector<std::uint64_t>>& times) {
  std::vector<Stream> streams;
  streams.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) streams.emplace_back(i, times[i]);
  std::vector<Stream*> pointers;
  for (Stream& stream : streams) pointers.push_back(&stream);
  Events events;
  Merge(pointers, [&](const auto& event) { events.push_back(event); });
  return events;
}

TEST(Merge, OfNoStreamIsEmpty) {
  EXPECT_TRUE(Merged({}).empty());
  EXPECT_TRUE(Merged({{}, {}}).empty());
}

TEST(Merge, TakesTheLowerStreamOfEqualTimes) {
  EXPECT_EQ(Merged({{5, 7}, {5}, {4, 5}}), (Events{{4, 2}, {5, 0}, {5, 1}, {5, 2}, {7, 0}}));
}

TEST(Merge, KnowsTheGreatestTimeFromTheEnd) {
  EXPECT_EQ(Merged({{}, {~0ULL}, {1}}), (Events{{1, 2}, {~0ULL, 1}}));
}

TEST(Merge, SortsAnyNumberOfStreams) {
  std::mt19937_64 random(tracekin::testing::Seed(1));
  for (std::size_t count = 1; count <= 40; ++count) {
    std::vector<std::vector<std::uint64_t>> times(count);
    Events all;
    for (std::size_t stream = 0; stream < count; ++stream) {
      times[stream].resize(random() % 50);
      for (std::uint64_t& time : times[stream]) time = random() % 100;
      std::sort(times[stream].begin(), times[stream].end());
      for (const std::uint64_t time : times[stream]) all.emplace_back(time, stream);
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(Merged(times), all) << count;
  }
}

}  // namespace
}  // namespace tracekin::ctf
