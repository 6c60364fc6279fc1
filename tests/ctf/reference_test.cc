// SPDX-License-Identifier: Apache-2.0
// Reads a real trace of a kernel, which tests/ctf/traces/job recorded. It covers details that
// hand-made traces may not have.
#include <gmock/gmock.h>

#include <map>

#include "ctf/source.h"
#include "tests/support/event_text.h"

namespace tracekin::ctf {
namespace {

using analysis::Kind;
using ::testing::IsEmpty;
using tracekin::testing::Difference;
using tracekin::testing::Reading;
using tracekin::testing::ReadTraces;

TEST(ReferenceTrace, IsTheSameByBothWays) {
  const Reading own = ReadTraces({REFERENCE_TRACES}, Way::kOwn);
  EXPECT_THAT(own.found.damage, IsEmpty());
  EXPECT_EQ(Difference(own, ReadTraces({REFERENCE_TRACES}, Way::kBabeltrace2)), "");
}

TEST(ReferenceTrace, TellsWhatItWasRecordedFor) {
  std::map<Kind, int> counts;
  std::uint64_t last = 0;
  int segments = 0;
  const auto source = Open({REFERENCE_TRACES});
  source->Read([&](const analysis::Event& event) {
    ++counts[event.kind];
    EXPECT_GE(event.cycles, last);
    last = event.cycles;
    using P = analysis::Packet;
    if (event.kind == Kind::kPacketQueue && event.number[P::kProtocol] == 6) {
      ++segments;
      EXPECT_EQ(event.number[P::kTargetLow], 0x7F000001);  // 127.0.0.1
    }
  });
  for (const Kind kind :
       {Kind::kSwitch, Kind::kWaking, Kind::kFork, Kind::kExit, Kind::kIrqEntry,
        Kind::kSoftirqEntry, Kind::kHrtimerEntry, Kind::kBlockIssue, Kind::kBlockComplete,
        Kind::kPacketQueue, Kind::kPacketReceive, Kind::kSyscallEntry, Kind::kSyscallExit}) {
    EXPECT_GT(counts[kind], 0) << static_cast<int>(kind);
  }
  EXPECT_GT(segments, 0);
  EXPECT_EQ(source->found().way, Way::kOwn);
}

}  // namespace
}  // namespace tracekin::ctf
