// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/delivery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/make_span.h"
#include "tests/support/temp_folder.h"

namespace tracekin::testing {
namespace {

using namespace exporter;

using namespace std::chrono_literals;
using Ids = std::vector<std::uint64_t>;

const SendResult kAccepted{SendStatus::kAccepted};
const SendResult kRejected{SendStatus::kRejected, "no"};
const SendResult kTooLarge{SendStatus::kTooLarge, "too much"};
const SendResult kFailed{SendStatus::kFailed, "down"};
const Outcome kNoMemory{{SendStatus::kFailed, "out of memory"}, true};

class DeliveryTest : public ::testing::Test {
 protected:
  DeliveryTest() { options_.batch_spans = 10; }

  void Make(bool spool = false, std::uint64_t spool_bytes = 1 << 26) {
    delivery_ = std::make_unique<Delivery>(
        options_,
        spool ? std::make_unique<Spool>(folder_, spool_bytes, ResourceBytes({"service", {}}),
                                        &counts_)
              : nullptr,
        &counts_, 1);
  }

  // Adds spans like the exporter thread does.
  void Add(std::uint64_t first, std::uint64_t last, std::size_t name_bytes = 1) {
    const std::string name(name_bytes, 'n');
    for (std::uint64_t id = first; id <= last; ++id) {
      delivery_->Add(MakeSpan(id, name).data(), now_);
      ++added_;
    }
    delivery_->EndBatch();
    delivery_->Maintain(now_);
  }

  // Returns the ids of the spans that must be sent now, and reports `result` for them.
  Ids Send(const SendResult& result, bool urgent = false) {
    const Batch* batch = delivery_->Next(now_, urgent);
    if (batch == nullptr) return {};
    const Ids ids = IdsOf(*batch);
    delivery_->Settle({result}, now_);
    delivery_->Maintain(now_);
    return ids;
  }

  // Sends everything to a collector that refuses each batch with a bad span. Returns the number of
  // requests.
  template <class IsBad>
  int SendAll(IsBad is_bad, const SendResult& refusal) {
    int times = 0;
    for (; const Batch* batch = delivery_->Next(now_, false); ++times) {
      const Ids ids = IdsOf(*batch);
      const bool refused = std::any_of(ids.begin(), ids.end(), is_bad);
      delivery_->Settle({refused ? refusal : kAccepted}, now_);
    }
    return times;
  }

  void ExpectConserved() {
    EXPECT_EQ(added_, TakenFromQueue(counts_.Read()));
    EXPECT_TRUE(!delivery_->idle() || counts_.in_flight == 0);
  }

  const TempFolder temp_;
  std::string folder_ = temp_.path();
  ExporterOptions options_;
  ExporterCounts counts_;
  std::unique_ptr<Delivery> delivery_;
  Delivery::TimePoint now_{1h};
  std::uint64_t added_ = 0;
};

Ids Range(std::uint64_t first, std::uint64_t last) {
  Ids ids;
  for (std::uint64_t id = first; id <= last; ++id) ids.push_back(id);
  return ids;
}

TEST_F(DeliveryTest, SendsBatchesInOrder) {
  Make();
  EXPECT_EQ(delivery_->Next(now_, true), nullptr);
  Add(1, 25);
  EXPECT_EQ(Send(kAccepted), Range(1, 10));
  EXPECT_EQ(Send(kAccepted), Range(11, 20));
  EXPECT_EQ(Send(kAccepted), Range(21, 25));
  EXPECT_TRUE(delivery_->idle());
  EXPECT_EQ(counts_.exported, 25U);
  ExpectConserved();
}

TEST_F(DeliveryTest, WantsNoMoreThanItCanHoldWithoutASpool) {
  Make();
  EXPECT_TRUE(delivery_->WantsSpans());
  Add(1, 20);
  EXPECT_FALSE(delivery_->WantsSpans());
  Send(kAccepted);
  EXPECT_TRUE(delivery_->WantsSpans());
}

TEST_F(DeliveryTest, TriesAgainLaterAndLater) {
  options_.retry_backoff_ms = 100;
  options_.retry_max_backoff_ms = 1000;
  Make();
  Add(1, 5);
  for (const auto most : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
    EXPECT_EQ(Send(kFailed), Range(1, 5));
    EXPECT_TRUE(delivery_->away());
    EXPECT_EQ(delivery_->last_error(), "down");
    now_ += most / 2 - 1ms;
    EXPECT_EQ(Send(kFailed), Ids{}) << most.count();
    now_ += most / 2 + 1ms;
  }
  EXPECT_EQ(Send(kAccepted), Range(1, 5));
  EXPECT_FALSE(delivery_->away());
  Add(6, 6);
  EXPECT_EQ(Send(kFailed), Range(6, 6)) << "what was accepted is not sent again";
  now_ += 100ms;
  EXPECT_EQ(Send(kAccepted), Range(6, 6)) << "the next outage begins with the first back-off";
}

// A thousand programs that lose their collector at the same moment must not return at the same
// moment.
TEST_F(DeliveryTest, BacksOffByChance) {
  options_.retry_backoff_ms = 1000;
  std::map<std::int64_t, int> waits;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Delivery delivery(options_, nullptr, &counts_, seed * 0x9E3779B97F4A7C15);
    delivery.Add(MakeSpan(1).data(), now_);
    delivery.EndBatch();
    delivery.Next(now_, false);
    delivery.Settle({kFailed}, now_);
    auto later = now_;
    while (delivery.Next(later, false) == nullptr) later += 10ms;
    ++waits[(later - now_) / 10ms];
  }
  EXPECT_GE(waits.begin()->first, 50);
  EXPECT_LE(waits.rbegin()->first, 101);
  EXPECT_GT(waits.size(), 30U);
}

// Otherwise a single failed allocation would delay spans for as long as an outage does.
TEST_F(DeliveryTest, LackOfMemoryIsNeverTakenForAnOutage) {
  options_.retry_backoff_ms = 100;
  options_.retry_max_tries = 3;
  Make();
  Add(1, 5);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NE(delivery_->Next(now_, false), nullptr) << i;
    delivery_->Settle(kNoMemory, now_);
    EXPECT_FALSE(delivery_->away());
    EXPECT_EQ(delivery_->Next(now_ + 99ms, false), nullptr) << i;
    now_ += 100ms;
  }
  EXPECT_EQ(delivery_->last_error(), "out of memory");
  EXPECT_EQ(Send(kAccepted), Range(1, 5));
  ExpectConserved();
}

TEST_F(DeliveryTest, LackOfMemoryNeverHoldsABatchBeyondItsAge) {
  options_.retry_max_age_ms = 60'000;
  Make();
  Add(1, 5);
  now_ += 60s;
  EXPECT_NE(delivery_->Next(now_, false), nullptr);
  delivery_->Settle(kNoMemory, now_);
  EXPECT_EQ(counts_.dropped.expired, 5U);
  ExpectConserved();
}

TEST_F(DeliveryTest, ObeysRetryAfter) {
  Make();
  Add(1, 1);
  Send({SendStatus::kFailed, "HTTP 429", 7000ms});
  now_ += 6999ms;
  EXPECT_EQ(Send(kAccepted), Ids{});
  now_ += 1ms;
  EXPECT_EQ(Send(kAccepted), Range(1, 1));
}

TEST_F(DeliveryTest, DoesNotWaitWhenItIsUrgent) {
  Make();
  Add(1, 1);
  Send({SendStatus::kFailed, "HTTP 429", 7000ms});
  EXPECT_EQ(Send(kAccepted, true), Range(1, 1));
}

TEST_F(DeliveryTest, GivesUpWhatIsTooOld) {
  options_.retry_max_age_ms = 60'000;
  options_.retry_max_tries = 1'000'000;
  Make();
  Add(1, 5);
  const auto start = now_;
  while (!Send(kFailed).empty() || !delivery_->idle()) now_ += 100ms;
  EXPECT_GE(now_ - start, 60s);
  EXPECT_LE(now_ - start, 71s);
  EXPECT_EQ(counts_.dropped.expired, 5U);
  ExpectConserved();
}

TEST_F(DeliveryTest, GivesUpWhatWasTriedTooOften) {
  options_.retry_max_tries = 3;
  Make();
  Add(1, 5);
  int tries = 0;
  for (int i = 0; i < 10; ++i) tries += Send(kFailed, true).empty() ? 0 : 1;
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(counts_.dropped.expired, 5U);
}

TEST_F(DeliveryTest, NeverSendsASpanAgainThatWasRejected) {
  Make();
  Add(1, 1);
  Add(2, 20);
  EXPECT_EQ(Send(kRejected), Range(1, 1));
  EXPECT_EQ(Send(kAccepted), Range(2, 11)) << "at once: the collector is there";
  EXPECT_EQ(counts_.dropped.rejected, 1U);
  EXPECT_EQ(delivery_->last_error(), "no");
}

TEST_F(DeliveryTest, WhatAnAcceptedBatchLostIsNeverSentAgainFromTheSpoolEither) {
  Make(true);
  Add(1, 10);
  EXPECT_EQ(Send(kFailed), Range(1, 10));
  now_ += 1s;
  EXPECT_EQ(Send({SendStatus::kAccepted, "three too old", 0ms, 3}), Range(1, 10));
  EXPECT_EQ(counts_.exported, 7U);
  EXPECT_EQ(counts_.dropped.rejected, 3U);
  EXPECT_EQ(counts_.spooled, 0U);
  EXPECT_EQ(delivery_->last_error(), "three too old");
  EXPECT_EQ(Send(kAccepted, true), Ids{});
  ExpectConserved();
}

TEST_F(DeliveryTest, OneBadSpanNeverCostsAnotherOne) {
  options_.batch_spans = 1000;
  for (const std::uint64_t bad : {1U, 2U, 500U, 501U, 999U, 1000U}) {
    Make();
    Add(1, 1000);
    const auto is_bad = [bad](std::uint64_t id) { return id == bad; };
    EXPECT_LE(SendAll(is_bad, kRejected), 21) << bad;
    EXPECT_EQ(std::exchange(counts_.dropped.rejected, 0), 1U) << bad;
    EXPECT_EQ(std::exchange(counts_.exported, 0), 999U) << bad;
    added_ = 0;
  }
}

// For example, a client sends one bad request after another.
TEST_F(DeliveryTest, ManyBadSpansNeverCostOthers) {
  options_.batch_spans = 1000;
  Make();
  Add(1, 1000);
  const auto is_bad = [](std::uint64_t id) {
    return (id >= 200 && id < 220) || id % 100 == 50 || id == 1000;
  };
  EXPECT_LE(SendAll(is_bad, kRejected), 250);
  EXPECT_EQ(counts_.dropped.rejected, 31U);
  EXPECT_EQ(counts_.exported, 969U);
  ExpectConserved();
}

// For example, the path is wrong (404), or the credentials are (403).
TEST_F(DeliveryTest, ACollectorThatRefusesEverythingIsNeverAskedSpanBySpan) {
  for (const SendResult& refusal : {kRejected, kTooLarge}) {
    options_.batch_spans = 1000;
    Make();
    Add(1, 500);
    const auto all = [](std::uint64_t) { return true; };
    EXPECT_LE(SendAll(all, refusal), 80) << "until it is known";
    for (int i = 0; i < 10; ++i) {
      Add(1, 500);
      EXPECT_LE(SendAll(all, refusal), 7) << "from then on";
    }
    ExpectConserved();
  }
  EXPECT_EQ(counts_.dropped.rejected, 5500U);
  EXPECT_EQ(counts_.dropped.too_large, 5500U);
}

// This holds although each of its batches contains a bad span by then.
TEST_F(DeliveryTest, ACollectorThatTakesSpansAgainIsNeverLeftBlind) {
  options_.batch_spans = 1000;
  Make();
  for (int i = 0; i < 3; ++i) {
    Add(1, 1000);
    SendAll([](std::uint64_t) { return true; }, kRejected);
  }
  EXPECT_EQ(std::exchange(counts_.dropped.rejected, 0), 3000U);
  Add(1, 1000);
  SendAll([](std::uint64_t id) { return id == 1; }, kRejected);
  EXPECT_EQ(std::exchange(counts_.dropped.rejected, 0), 250U) << "the quarter it is in";
  Add(1, 1000);
  SendAll([](std::uint64_t id) { return id == 1; }, kRejected);
  EXPECT_EQ(counts_.dropped.rejected, 1U);
}

TEST_F(DeliveryTest, HalvesWhatIsTooLargeUntilItFits) {
  Make();
  Add(1, 10);
  EXPECT_EQ(Send(kTooLarge), Range(1, 10));
  EXPECT_EQ(Send(kTooLarge), Range(1, 5));
  EXPECT_EQ(Send(kAccepted), Range(1, 2));
  EXPECT_EQ(Send(kTooLarge), Range(3, 5));
  EXPECT_EQ(Send(kTooLarge), Range(3, 3)) << "one span alone";
  EXPECT_EQ(Send(kAccepted), Range(4, 5));
  EXPECT_EQ(Send(kAccepted), Range(6, 10));
  EXPECT_EQ(counts_.dropped.too_large, 1U);
  EXPECT_EQ(counts_.exported, 9U);
  ExpectConserved();
}

TEST_F(DeliveryTest, MakesSmallerBatchesOnceOneWasTooLarge) {
  options_.batch_spans = 1000;
  Make();
  Add(1, 300, 1000);
  Send(kTooLarge);
  while (!delivery_->idle()) Send(kAccepted);
  Add(301, 600, 1000);
  EXPECT_LE(Send(kAccepted).size(), 151U);
}

TEST_F(DeliveryTest, OneBatchThatWasTooLargeDoesNotKeepAllLaterOnesSmall) {
  options_.batch_spans = 1000;
  Make();
  const auto send_one = [this](const SendResult& result) {
    Add(1, 300, 1000);
    const Ids first = Send(result);
    while (!delivery_->idle()) Send(kAccepted);
    return first.size();
  };
  send_one(kTooLarge);
  EXPECT_LE(send_one(kAccepted), 151U);
  int more = 0;
  while (send_one(kAccepted) < 300) ASSERT_LT(++more, 1000);
  EXPECT_GE(more, 30) << "not at once";
  send_one(kTooLarge);
  EXPECT_LE(send_one(kAccepted), 151U) << "as the first time";
}

// A day of restarts leaves this many while the collector is unreachable.
TEST_F(DeliveryTest, ManyDeadProcessesAreNeverAdoptedByTheClock) {
  constexpr std::uint64_t kDead = 50;
  for (std::uint64_t i = 0; i < kDead; ++i) {
    Make(true);
    Add(10 * i + 1, 10 * i + 10);
    delivery_->GiveUp(now_);
  }
  counts_.Reset();
  added_ = 0;
  Make(true);
  Ids sent;
  const auto start = now_;
  delivery_->Maintain(now_);
  for (Ids ids = Send(kAccepted); !ids.empty(); ids = Send(kAccepted)) {
    sent.insert(sent.end(), ids.begin(), ids.end());
    now_ += 20ms;
  }
  EXPECT_EQ(sent.size(), 10 * kDead);
  EXPECT_LE(now_ - start, 2s);
  EXPECT_EQ(counts_.adopted, 10 * kDead);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(DeliveryTest, WhatFailsGoesToTheSpoolAndComesBackInOrder) {
  options_.spool_replay_spans_per_second = 1'000'000;
  Make(true);
  Add(1, 10);
  Send(kFailed);
  EXPECT_EQ(counts_.spooled, 10U);
  EXPECT_TRUE(delivery_->WantsSpans());
  for (std::uint64_t id = 11; id <= 101; id += 10) Add(id, id + 9);
  EXPECT_EQ(counts_.spooled, 100U) << "one batch stays to be tried";
  now_ += 10s;
  Ids sent;
  for (Ids ids = Send(kAccepted); !ids.empty(); ids = Send(kAccepted)) {
    sent.insert(sent.end(), ids.begin(), ids.end());
    now_ += 20ms;
  }
  EXPECT_EQ(sent, Range(1, 110));
  EXPECT_EQ(counts_.exported, 110U);
  EXPECT_EQ(counts_.spooled, 0U);
  ExpectConserved();
}

TEST_F(DeliveryTest, ReplaysAtItsRateBesideNewSpans) {
  options_.spool_replay_spans_per_second = 100;
  Make(true);
  for (int i = 0; i < 100; ++i) {
    Add(1, 10);
    Send(kFailed, true);
  }
  now_ += 1h;
  Send(kAccepted);
  const std::uint64_t before = counts_.spooled;
  std::uint64_t fresh = 0;
  for (int i = 0; i < 500; ++i) {  // ten seconds
    now_ += 20ms;
    Add(1, 10);
    fresh += 10;
    Send(kAccepted);
    Send(kAccepted);
  }
  const std::uint64_t replayed = before - counts_.spooled;
  EXPECT_GE(replayed, 900U);
  EXPECT_LE(replayed, 1120U) << "ten seconds' worth, and what had come together";
  EXPECT_GE(counts_.exported, replayed + fresh - 20);
  ExpectConserved();
}

// A batch that always fails must not delay the others forever.
TEST_F(DeliveryTest, ABatchThatAlwaysFailsInTheSpoolIsGivenUpWhenOthersPass) {
  options_.spool_replay_spans_per_second = 1'000'000;
  Make(true);
  Add(1, 10);
  Send(kFailed);
  std::uint64_t id = 11;
  for (int i = 0; i < 100 && counts_.dropped.expired == 0; ++i, id += 10) {
    now_ += 20s;
    Add(id, id + 9);
    const Batch* batch = delivery_->Next(now_, false);
    ASSERT_NE(batch, nullptr);
    delivery_->Settle({IdsOf(*batch).front() == 1 ? kFailed : kAccepted}, now_);
  }
  EXPECT_EQ(counts_.dropped.expired, 10U);
  EXPECT_GE(counts_.exported, 10U);
  ExpectConserved();
}

TEST_F(DeliveryTest, AnOutageOfADayDoesNotExpireTheSpool) {
  Make(true);
  Add(1, 10);
  for (int i = 0; i < 8640; ++i, now_ += 10s) Send(kFailed);
  EXPECT_EQ(counts_.spooled, 10U);
  EXPECT_EQ(Send(kAccepted, true), Range(1, 10));
}

TEST_F(DeliveryTest, WithoutRoomOnDiskSpansWaitInMemory) {
  Make(true);
  std::filesystem::remove_all(folder_);
  folder_ += "/gone";
  delivery_ = std::make_unique<Delivery>(
      options_, std::make_unique<Spool>(folder_, 1 << 26, ResourceBytes({"service", {}}), &counts_),
      &counts_, 1);
  Add(1, 10);
  Send(kFailed);
  EXPECT_TRUE(delivery_->spool_failing());
  EXPECT_THAT(delivery_->last_error(), ::testing::HasSubstr("gone"));
  EXPECT_EQ(counts_.in_flight, 10U);
  Add(11, 20);
  EXPECT_FALSE(delivery_->WantsSpans());
  now_ += 10s;
  EXPECT_EQ(Send(kAccepted), Range(1, 10));
  ExpectConserved();
}

TEST_F(DeliveryTest, WhatIsLeftAtTheEndIsCountedOrSpooled) {
  Make();
  Add(1, 15);
  delivery_->GiveUp(now_);
  EXPECT_EQ(counts_.dropped.closed, 15U);
  EXPECT_TRUE(delivery_->idle());
  ExpectConserved();
  Make(true);
  Add(16, 30);
  delivery_->GiveUp(now_);
  EXPECT_EQ(counts_.spooled, 15U);
  ExpectConserved();
}

class DeliveryHistory : public DeliveryTest, public ::testing::WithParamInterface<unsigned> {};

// In every order of events, each span is in exactly one place and is accepted at most once.
TEST_P(DeliveryHistory, Conserves) {
  std::mt19937 random(GetParam());
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  options_.retry_max_tries = 1 + below(6);
  options_.batch_spans = 1 + below(30);
  Make(GetParam() % 2 == 0, 1 << 22);
  std::map<std::uint64_t, int> accepted;
  const SendResult results[] = {kAccepted, kAccepted, kFailed, kFailed, kRejected, kTooLarge};
  for (int step = 0; step < 3000; ++step) {
    now_ += std::chrono::milliseconds(below(500));
    if (delivery_->WantsSpans()) Add(added_ + 1, added_ + below(60), below(3000));
    const Batch* batch = delivery_->Next(now_, below(4) == 0);
    if (batch != nullptr) {
      const SendResult& result = results[below(6)];
      if (result.status == SendStatus::kAccepted) {
        for (const std::uint64_t id : IdsOf(*batch)) ++accepted[id];
      }
      delivery_->Settle({result}, now_);
    }
    ExpectConserved();
  }
  delivery_->GiveUp(now_);
  ExpectConserved();
  EXPECT_EQ(counts_.in_flight, 0U);
  EXPECT_EQ(counts_.dropped.spool_corrupt, 0U);
  EXPECT_EQ(accepted.size(), counts_.exported);
  for (const auto& [id, times] : accepted) EXPECT_EQ(times, 1) << id;
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeliveryHistory, ::testing::Range(0u, 12u));

}  // namespace
}  // namespace tracekin::testing
