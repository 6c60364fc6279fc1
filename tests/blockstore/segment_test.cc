// SPDX-License-Identifier: Apache-2.0
// Tests the shared memory of examples/blockstore while its users are killed.
#include "examples/blockstore/segment.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace blockstore {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class SegmentTest : public ::testing::Test {
 protected:
  SegmentTest() : name_("/segment-test-" + std::to_string(getpid())), segment_(name_) {}
  ~SegmentTest() override { shm_unlink(name_.c_str()); }

  Slot* Mine(std::uint32_t i, PortNumber to = kMapper) {
    Slot* const slot = segment_.slot(kVlmc * kSlotsOfAPort + i);
    slot->request.dst_portno = to;
    return slot;
  }

  Slot* TakeNow(PortNumber port) { return segment_.Take(port, milliseconds(0), &ok_); }

  const std::string name_;
  Segment segment_;
  bool ok_ = false;
};

TEST_F(SegmentTest, ARequestGoesThereAndComesBack) {
  Slot* const slot = Mine(0);
  segment_.Submit(slot);
  EXPECT_EQ(TakeNow(kVlmc), nullptr);
  ASSERT_EQ(TakeNow(kMapper), slot);
  EXPECT_EQ(slot->request.state, State::kAccepted);
  segment_.Respond(slot, true);
  ASSERT_EQ(TakeNow(kVlmc), slot);
  EXPECT_TRUE(ok_);
  segment_.Submit(slot);
  segment_.Respond(TakeNow(kMapper), false);
  ASSERT_EQ(TakeNow(kVlmc), slot);
  EXPECT_FALSE(ok_);
}

TEST_F(SegmentTest, WhatIsCancelledIsNotServed) {
  Slot* const slots[] = {Mine(0), Mine(1), Mine(2)};
  for (Slot* slot : slots) segment_.Submit(slot);
  EXPECT_TRUE(segment_.Cancel(slots[1]));
  EXPECT_EQ(TakeNow(kMapper), slots[0]);
  EXPECT_EQ(TakeNow(kMapper), slots[2]);
  EXPECT_EQ(TakeNow(kMapper), nullptr);
  segment_.Respond(slots[0], true);
  EXPECT_FALSE(segment_.Cancel(slots[0])) << "it is answered";
}

TEST_F(SegmentTest, NothingIsCancelledWhileTheReceiverLives) {
  const pid_t owner = fork();
  if (owner == 0) {
    Segment segment(name_);
    segment.Own(kMapper);
    pause();
  }
  while (!segment_.HasOwner(kMapper)) usleep(1000);
  segment_.Submit(Mine(0));
  EXPECT_FALSE(segment_.Cancel(Mine(0)));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_FALSE(segment_.HasOwner(kMapper));
  EXPECT_TRUE(segment_.Cancel(Mine(0)));
}

TEST_F(SegmentTest, WhatADeadOwnerHadAcceptedIsKnown) {
  segment_.Submit(Mine(0));
  segment_.Submit(Mine(1));
  ASSERT_EQ(TakeNow(kMapper), Mine(0));
  EXPECT_EQ(segment_.Unanswered(kMapper), std::vector<Slot*>{Mine(0)});
  segment_.Submit(Mine(0));
  EXPECT_EQ(TakeNow(kMapper), Mine(1));
  EXPECT_EQ(TakeNow(kMapper), Mine(0));
}

// A mapper is killed in the middle of its work a thousand times. Every request must be answered
// once, and no request may be in two queues.
TEST_F(SegmentTest, NoRequestIsLostWithAReceiverThatIsKilled) {
  std::mt19937 random(1);
  std::uint64_t answered = 0;
  for (std::uint32_t i = 0; i < kSlotsOfAPort; ++i) segment_.Submit(Mine(i));
  for (int round = 0; round < 1000; ++round) {
    const pid_t mapper = fork();
    if (mapper == 0) {
      Segment segment(name_);
      segment.Own(kMapper);
      for (Slot* slot : segment.Unanswered(kMapper)) segment.Submit(slot);
      for (bool ok = false;;) {
        if (Slot* slot = segment.Take(kMapper, milliseconds(1), &ok)) segment.Respond(slot, true);
      }
    }
    const auto end = std::chrono::steady_clock::now() + microseconds(random() % 4000);
    while (std::chrono::steady_clock::now() < end) {
      Slot* const slot = TakeNow(kVlmc);
      if (slot == nullptr) continue;
      ASSERT_EQ(slot->request.state, State::kTaken);
      ++answered;
      segment_.Submit(slot);
    }
    kill(mapper, SIGKILL);
    waitpid(mapper, nullptr, 0);
  }
  for (Slot* slot : segment_.Unanswered(kMapper)) segment_.Submit(slot);
  std::set<Slot*> found;
  while (Slot* slot = TakeNow(kMapper)) EXPECT_TRUE(found.insert(slot).second) << "twice";
  while (Slot* slot = TakeNow(kVlmc)) EXPECT_TRUE(found.insert(slot).second) << "twice";
  EXPECT_EQ(found.size(), kSlotsOfAPort);
  EXPECT_GT(answered, 1000U);
  RecordProperty("answered", static_cast<int>(answered));
}

}  // namespace
}  // namespace blockstore
