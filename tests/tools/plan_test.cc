// SPDX-License-Identifier: Apache-2.0
// What `tracekin record` sets up, by the commands that --dry-run prints; and its sentences.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/record/announcement.h"
#include "tools/record/duration.h"
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
                          "lttng enable-event" + channel + " 'tracekin:*,zipkin:*,jaeger_ust:*'",
                          "lttng add-context" + channel + " --type=vpid",
                          "lttng add-context" + channel + " --type=vtid",
                          "lttng add-context" + channel + " --type=procname",
                          "lttng add-context" + channel + " --type=pid_ns", "lttng start mine"));
}

std::string CommandsOf(Profile profile) {
  Options options = WithOutput("/tmp/t");
  options.kernel = true;
  options.profile = profile;
  std::string all;
  for (const std::string& command : LttngCommands(MakePlan(options, "mine"))) all += command + '\n';
  return all;
}

TEST(RecordPlan, OfTheKernelHasWhatTheAnalysisNeeds) {
  for (const Profile profile : {Profile::kLight, Profile::kFull}) {
    for (const char* event :
         {"sched_switch", "sched_waking", "sched_wakeup_new", "irq_handler_*", "irq_softirq_",
          "timer_hrtimer_expire_*", "block_rq_", "net_dev_queue", "net_if_", "lttng_statedump_"}) {
      EXPECT_THAT(CommandsOf(profile), HasSubstr(event));
    }
  }
}

TEST(RecordPlan, OfTheKernelHasAllSystemCallsOrThoseOfWaits) {
  EXPECT_THAT(CommandsOf(Profile::kFull), HasSubstr("--syscall --all"));
  EXPECT_THAT(CommandsOf(Profile::kLight), Not(HasSubstr("--all")));
  EXPECT_THAT(CommandsOf(Profile::kLight), HasSubstr("--syscall futex || true"));
}

TEST(RecordDryRun, PrintsAllCommandsOfTheRecording) {
  Options options = WithOutput("/tmp/t");
  options.command = {"./server", "a b"};
  options.user = "ann";
  options.snapshot = true;
  const auto commands = ShellCommands(options, MakePlan(options, "mine"));
  EXPECT_THAT(commands.front(), HasSubstr("lttng-sessiond --daemonize"));
  EXPECT_THAT(commands,
              Contains("runuser --user=ann -- env "
                       "TRACEKIN_UST_ENABLED=\"${TRACEKIN_UST_ENABLED:-true}\" ./server 'a b'"));
  EXPECT_THAT(commands, Contains("lttng snapshot record --session=mine"));
  EXPECT_EQ(commands.back(), "lttng destroy mine");
}

TEST(RecordDryRun, WaitsForTheDuration) {
  Options options = WithOutput("/tmp/t");
  options.duration_s = 0.5;
  EXPECT_THAT(ShellCommands(options, MakePlan(options, "mine")), Contains("sleep 0.5"));
}

TEST(RecordDryRun, EndsWithTheStartIfOnlyASignalEndsTheRecording) {
  const Options options = WithOutput("/tmp/t");
  EXPECT_EQ(ShellCommands(options, MakePlan(options, "mine")).back(), "lttng start mine");
}

TEST(RecordDuration, HasAUnitOrCountsSeconds) {
  const std::pair<const char*, double> durations[] = {
      {"2", 2},  {"0.5", 0.5},  {"500ms", 0.5},   {"1m", 60},         {"1.5h", 5400},
      {"3s", 3}, {"1d", 86400}, {"250us", 25e-5}, {"1000000000", 1e9}};
  for (const auto& [text, seconds] : durations) {
    ASSERT_TRUE(ParseDuration(text).has_value()) << text;
    EXPECT_DOUBLE_EQ(*ParseDuration(text), seconds) << text;
  }
}

TEST(RecordDuration, RefusesWhatIsNone) {
  for (const char* text : {"", "s", "0", "0ms", "-1", "1 s", "1x", "1e3", "inf", "nan",
                           "1000000001", "99999999999d", "1.2.3"}) {
    EXPECT_FALSE(ParseDuration(text).has_value()) << text;
  }
}

TEST(RecordAnnouncement, SaysWhatIsRecordedAndHowItEnds) {
  Options options = WithOutput("/tmp/t");
  EXPECT_EQ(Announcement(options, false, ""),
            "record: recording into /tmp/t: spans of all programs\n"
            "record: ends with Ctrl-C\n");
  options.kernel = true;
  options.pids = {7, 8};
  options.duration_s = 60;
  EXPECT_EQ(Announcement(options, false, ""),
            "record: recording into /tmp/t: spans of the processes 7 8 and kernel events\n"
            "record: ends after 60 s, or with Ctrl-C\n");
}

TEST(RecordAnnouncement, SaysThatADaemonStaysAndWhoRunsTheCommand) {
  Options options = WithOutput("/tmp/t");
  options.command = {"./server", "-x"};
  EXPECT_THAT(Announcement(options, true, "ann"), HasSubstr("keeps running"));
  EXPECT_THAT(Announcement(options, true, "ann"), HasSubstr("ends when ./server ends, or"));
  EXPECT_THAT(Announcement(options, true, "ann"),
              HasSubstr("./server runs as root; --user runs it as ann"));
  options.user = "ann";
  EXPECT_THAT(Announcement(options, true, "ann"), Not(HasSubstr("as root")));
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
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 101);
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

TEST(RecordSummary, CountsSpansAndNamesTheLongest) {
  Summary summary;
  summary.spans = 60;
  summary.traces = 20;
  summary.failed_traces = 1;
  summary.slowest = "68557226 shop: order, 69.384 ms";
  EXPECT_EQ(
      Describe(summary, 16 << 20),
      "60 spans in 20 traces, 1 with an error; the longest is 68557226 shop: order, 69.384 ms\n");
}

}  // namespace
}  // namespace tracekin::record
