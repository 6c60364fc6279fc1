// SPDX-License-Identifier: Apache-2.0
// What `tracekin record` sets up, by the commands that --dry-run prints; and its sentences.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/record/plan.h"
#include "tools/record/session.h"
#include "tools/record/summary.h"

namespace tracekin::record {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Options WithOutput(const std::string& output) {
  Options options;
  options.output = output;
  return options;
}

TEST(RecordPlan, OfTracekinsEventsAlone) {
  const auto commands = LttngCommands(MakePlan(WithOutput("/tmp/a trace"), "mine"));
  const std::string channel = " --userspace --session=mine --channel=tracekin";
  EXPECT_THAT(commands,
              ElementsAre("lttng create mine --output='/tmp/a trace'",
                          "lttng enable-channel --userspace --session=mine --subbuf-size=2097152 "
                          "--num-subbuf=8 tracekin",
                          "lttng enable-event" + channel + " 'tracekin:*'",
                          "lttng add-context" + channel + " --type=vpid",
                          "lttng add-context" + channel + " --type=vtid",
                          "lttng add-context" + channel + " --type=procname",
                          "lttng add-context" + channel + " --type=pid_ns", "lttng start mine"));
}

TEST(RecordPlan, OfTheKernelHasWhatACriticalPathNeeds) {
  Options options = WithOutput("/tmp/t");
  options.kernel = true;
  std::string all;
  for (const std::string& command : LttngCommands(MakePlan(options, "mine"))) all += command + '\n';
  for (const char* event : {"sched_switch", "sched_waking", "sched_wakeup_new", "irq_handler_*",
                            "irq_softirq_*", "timer_hrtimer_expire_*", "block_rq_*",
                            "net_dev_queue", "net_if_*", "lttng_statedump_*", "--syscall --all"}) {
    EXPECT_THAT(all, HasSubstr(event));
  }
}

TEST(RecordPlan, OfASnapshotOverwrites) {
  Options options = WithOutput("/tmp/t");
  options.snapshot = true;
  const auto commands = LttngCommands(MakePlan(options, "mine"));
  EXPECT_EQ(commands.front(), "lttng create mine --output=/tmp/t --snapshot");
  EXPECT_THAT(commands, Contains(HasSubstr("--overwrite")));
}

TEST(RecordPlan, OfSomeProcessesTracksThem) {
  Options options = WithOutput("/tmp/t");
  options.pids = {12, 34};
  const auto commands = LttngCommands(MakePlan(options, "mine"));
  EXPECT_THAT(commands, Contains("lttng track --userspace --session=mine --vpid=12"));
  EXPECT_THAT(commands, Contains("lttng track --userspace --session=mine --vpid=34"));
}

TEST(RecordPlan, BuffersAreAPowerOfTwoAndNotSmallerThanAskedFor) {
  Options options = WithOutput("/tmp/t");
  for (const std::uint64_t asked : {1u, 32768u, 32769u, 20'000'000u}) {
    options.buffer_bytes = asked;
    const std::uint64_t subbuf = MakePlan(options, "mine").subbuf_bytes;
    EXPECT_EQ(subbuf & (subbuf - 1), 0u);
    EXPECT_GE(subbuf * kSubbufs, asked);
    EXPECT_GE(subbuf, 4096u);
  }
}

TEST(RecordPlan, QuotesForTheShell) {
  EXPECT_EQ(LttngCommands(MakePlan(WithOutput("/tmp/it's"), "mine")).front(),
            R"(lttng create mine --output='/tmp/it'\''s')");
}

TEST(RecordErrors, SayWhatHelps) {
  EXPECT_THAT(Explain("x", -LTTNG_ERR_KERN_NA), HasSubstr("lttng-modules-dkms"));
  EXPECT_THAT(Explain("x", -LTTNG_ERR_NEED_ROOT_SESSIOND), HasSubstr("Record as root"));
  EXPECT_THAT(Explain("x", -LTTNG_ERR_EPERM), HasSubstr("group `tracing`"));
  EXPECT_THAT(Explain("open the door", -LTTNG_ERR_CHAN_EXIST), HasSubstr("cannot open the door: "));
}

TEST(RecordSummary, SaysWhatToRaiseWhenEventsWereDiscarded) {
  Summary summary;
  summary.events = {{"tracekin:span_start", 1234567}, {"kernel:sched_switch", 2}, {"kernel:x", 3}};
  summary.processes = {{7, "server"}};
  EXPECT_THAT(Describe(summary, 16 << 20), Not(HasSubstr("discarded")));
  EXPECT_THAT(Describe(summary, 16 << 20), HasSubstr(" 1 234 567  tracekin:span_start\n"));
  EXPECT_THAT(Describe(summary, 16 << 20), HasSubstr(" 5  kernel events\n"));
  EXPECT_THAT(Describe(summary, 16 << 20), HasSubstr("process 7  server\n"));
  summary.discarded_kernel = 1000;
  EXPECT_THAT(Describe(summary, 16 << 20), HasSubstr("1 000 events of the kernel were discarded"));
  EXPECT_THAT(Describe(summary, 16 << 20), HasSubstr("--buffer-size=64M"));
}

TEST(RecordSummary, IsNotFloodedByAProcessThatChangesItsName) {
  Summary summary;
  for (int i = 0; i < 100'000; ++i) summary.processes.emplace(7, "name" + std::to_string(i));
  const std::string text = Describe(summary, 16 << 20);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 102);
  EXPECT_THAT(text, HasSubstr("and 99 900 more process names\n"));
}

TEST(RecordSummary, SaysHowFarTheClocksAreApart) {
  Summary summary;
  summary.clock_offsets_ns = {{"kernel", 1000}, {"ust", 730}};
  EXPECT_THAT(Describe(summary, 1 << 20), HasSubstr("appear 270 ns too early"));
  summary.clock_offsets_ns["ust"] = 1005;
  EXPECT_THAT(Describe(summary, 1 << 20), HasSubstr("appear 5 ns too late"));
  summary.clock_offsets_ns.erase("kernel");
  EXPECT_THAT(Describe(summary, 1 << 20), Not(HasSubstr("clocks")));
}

TEST(RecordSummary, SaysThatThereIsNothing) {
  EXPECT_EQ(Describe(Summary{}, 16 << 20), "No events were recorded.\n");
}

}  // namespace
}  // namespace tracekin::record
