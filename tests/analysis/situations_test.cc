// SPDX-License-Identifier: Apache-2.0
// Tests the analysis with one recording for each way in which a span can spend its time.
#include <gtest/gtest.h>

#include <string>

#include "tests/analysis/story.h"

namespace tracekin::analysis {
namespace {

// Span 1 of thread 1 runs from 0 to 100 on CPU 0, and blocks in a call from 20 to 60. Each test
// chooses the event that wakes it at 50.
class Situation : public ::testing::Test {
 protected:
  void BlockIn(const char* call, std::int64_t object = kAbsent) {
    story_.Runs(0, 1, 0);
    story_.Start(0, 1, 1);
    story_.Call(10, 1, call, object);
    story_.Blocks(20, 1);
  }
  std::string Woken() {
    story_.Runs(60, 1, 0);
    story_.Returns(70, 1);
    story_.Finish(100, 1, 1);
    return story_.Why(1);
  }

  Story story_;
};

TEST_F(Situation, Mutex) {
  story_.Runs(0, 2, 1);
  story_.Start(0, 2, 2);
  BlockIn("futex", 0x1000);
  story_.Wakes(50, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex 10; lock 30 t2/2 {running 30}; ready 10; "
            "running:futex 10; running 30");
  const Part lock = story_.Explained(1).parts[2];
  EXPECT_EQ(story_.Done().timelines().waits[lock.wait].object, 0x1000);
}

TEST_F(Situation, ConditionVariableOfAThreadThatSlept) {
  story_.Runs(0, 2, 1);
  story_.Call(0, 2, "clock_nanosleep");
  story_.Blocks(0, 2);
  BlockIn("futex");
  story_.Expires(40, 1, 2);
  story_.Runs(42, 2, 1);
  story_.Returns(44, 2);
  story_.Wakes(50, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex 10; lock 30 t2 {timer 20; ready 2; "
            "running:clock_nanosleep 2; running 6}; ready 10; running:futex 10; running 30");
}

// The waker's CPU records the waking before the thread has left its own CPU.
TEST_F(Situation, WokenBeforeItBlocks) {
  story_.Runs(0, 2, 1);
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(10, 1, "futex");
  story_.Wakes(19, 2, 1);
  story_.Blocks(20, 1);
  EXPECT_EQ(Woken(), "running 10; running:futex 10; ready 40; running:futex 10; running 30");
}

TEST_F(Situation, WokenFromAnotherWaitBeforeItBlocks) {
  story_.Runs(0, 2, 1);
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(10, 1, "futex");
  story_.Wakes(15, 2, 1);
  story_.Blocks(20, 1);
  story_.Migrates(30, 1, 1);
  story_.Wakes(50, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex 10; lock 30 t2 {running 30}; ready 10 t2; running:futex 10; "
            "running 30");
}

// An interrupt on the thread's own CPU ends the wait before the thread blocks.
TEST_F(Situation, WokenOnItsOwnProcessorBeforeItBlocks) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(10, 1, "fsync");
  story_.Irq(15, 0, "virtio2-req.0");
  story_.WakesFrom(15, 0, 1);
  story_.Simply(16, Kind::kIrqExit, 0);
  story_.Blocks(20, 1);
  story_.Irq(50, 0, "virtio2-req.0");
  story_.DiskDone(50, 0, 8);
  story_.WakesFrom(50, 0, 1);
  story_.Simply(50, Kind::kIrqExit, 0);
  EXPECT_EQ(Woken(),
            "running 10; running:fsync 5; interrupted 1; running:fsync 4; disk 30; ready 10; "
            "running:fsync 10; running 30");
}

TEST_F(Situation, FutexWithTimeout) {
  BlockIn("futex");
  story_.Expires(50, 0, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex 10; timer 30; ready 10; running:futex 10; running 30");
}

TEST_F(Situation, JoinOfAThreadThatEnds) {
  story_.Runs(0, 2, 1);
  BlockIn("futex");
  story_.Call(45, 2, "exit");
  story_.Ends(46, 2);
  story_.Wakes(50, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex 10; thread 30 t2 {running 25; running:exit 5}; ready 10; "
            "running:futex 10; running 30");
}

// A pipe, a local socket, an eventfd, a signalfd and epoll on these are all alike: a thread wakes
// the reader.
TEST_F(Situation, WokenByAThread) {
  for (const char* call : {"read", "epoll_wait", "ppoll", "recvmsg", "io_uring_enter"}) {
    Story story;
    story.Runs(0, 2, 1);
    story.Runs(0, 1, 0);
    story.Start(0, 1, 1);
    story.Call(10, 1, call, 5);
    story.Blocks(20, 1);
    story.Wakes(50, 2, 1);
    story.Runs(60, 1, 0);
    story.Finish(70, 1, 1);
    EXPECT_EQ(story.Why(1), std::string("running 10; running:") + call +
                                " 10; thread 30 t2 {running 30}; ready 10; running:" + call +
                                " 10");
  }
}

// A readers-writer lock, a barrier and a semaphore are all implemented by a futex.
TEST_F(Situation, WriterWaitsForAReaderThatSleeps) {
  story_.Runs(0, 2, 1);
  story_.Call(0, 2, "nanosleep");
  story_.Blocks(0, 2);
  BlockIn("futex_waitv", 0x2000);
  story_.Expires(45, 1, 2);
  story_.Runs(45, 2, 1);
  story_.Wakes(50, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex_waitv 10; lock 30 t2 {timer 25; running:nanosleep 5}; "
            "ready 10; running:futex_waitv 10; running 30");
}

TEST_F(Situation, WorkOfAThreadOfIoUringReplacesTheWait) {
  story_.IsNamed(9, "iou-wrk-1");
  story_.Runs(0, 9, 1);
  story_.Blocks(0, 9, 0, kSleepsDeeply);
  BlockIn("io_uring_enter");
  story_.Irq(40, 1, "nvme0q3");
  story_.DiskDone(40, 1, 77);
  story_.WakesFrom(40, 1, 9);
  story_.Simply(40, Kind::kIrqExit, 1);
  story_.Runs(42, 9, 1);
  story_.Wakes(50, 9, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:io_uring_enter 10; disk 20; thread 10 t9; ready 10; "
            "running:io_uring_enter 10; running 30");
}

TEST_F(Situation, ReadOfARingThatADiskCompletes) {
  BlockIn("io_uring_enter", 4);
  story_.Irq(50, 0, "nvme0q3");
  story_.DiskDone(50, 0, 77);
  story_.WakesFrom(50, 0, 1);
  story_.Simply(50, Kind::kIrqExit, 0);
  EXPECT_EQ(Woken(),
            "running 10; running:io_uring_enter 10; disk 30; ready 10; "
            "running:io_uring_enter 10; running 30");
}

// The kernel thread passes on the keystrokes. Its own waits replace the wait for it.
TEST_F(Situation, InputThatAKernelThreadPassesOn) {
  story_.IsKernels(9);
  story_.Runs(0, 9, 1);
  story_.Blocks(0, 9);
  BlockIn("read");
  story_.Irq(45, 0, "i8042");
  story_.WakesFrom(45, 0, 9);
  story_.Simply(45, Kind::kIrqExit, 0);
  story_.Runs(47, 9, 1);
  story_.Wakes(50, 9, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:read 10; input 25; thread 5 t9; ready 10; running:read 10; "
            "running 30");
}

TEST_F(Situation, SleepWithoutTimerEvents) {
  BlockIn("clock_nanosleep");
  story_.WakesFrom(50, 0, 1);  // from an idle CPU
  EXPECT_EQ(Woken(),
            "running 10; running:clock_nanosleep 10; timer 30; ready 10; "
            "running:clock_nanosleep 10; running 30");
}

TEST_F(Situation, TimerOfEpoll) {
  BlockIn("epoll_wait");
  story_.Expires(50, 0, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:epoll_wait 10; timer 30; ready 10; running:epoll_wait 10; "
            "running 30");
}

TEST_F(Situation, TimerOfASoftirq) {
  BlockIn("select");
  story_.Softirq(50, 0, 1);
  story_.WakesFrom(50, 0, 1);
  story_.Simply(51, Kind::kSoftirqExit, 0);
  EXPECT_EQ(Woken(),
            "running 10; running:select 10; timer 30; ready 10; running:select 10; running 30");
}

// Current drivers complete requests in the hard irq, while Trace Compass only considers softirqs.
TEST_F(Situation, DiskReadThatAnIrqCompletes) {
  BlockIn("read");
  story_.Irq(50, 1, "virtio2-req.0");
  story_.DiskDone(50, 1, 4711);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(51, Kind::kIrqExit, 1);
  EXPECT_EQ(Woken(), "running 10; running:read 10; disk 30; ready 10; running:read 10; running 30");
  const Timelines& timelines = story_.Done().timelines();
  const Wait& wait = timelines.waits[story_.Explained(1).parts[2].wait];
  const DiskRequest& request = timelines.requests[wait.request];
  EXPECT_EQ(request.device, 254u << 20);
  EXPECT_EQ(request.sector, 4711u);
}

TEST_F(Situation, DiskReadThatWaitsInAQueue) {
  BlockIn("read");
  story_.Disk(25, Kind::kBlockInsert, 1, 4711);
  story_.Disk(32, Kind::kBlockIssue, 1, 4711);
  story_.Disk(33, Kind::kBlockIssue, 1, 8);
  story_.Irq(49, 1, "virtio2-req.0");
  story_.DiskDone(49, 1, 4711);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(51, Kind::kIrqExit, 1);
  EXPECT_EQ(Woken(), "running 10; running:read 10; disk 30; ready 10; running:read 10; running 30");
  const DiskTime time = DiskTimeOf(story_.Done().timelines(), story_.Explained(1).parts[2]);
  EXPECT_EQ(time.queue, 7u);
  EXPECT_EQ(time.service, 17u);
}

// The request was issued before the thread began to wait for it.
TEST_F(Situation, DiskTimeIsThatOfTheWait) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(10, 1, "fsync");
  story_.Disk(15, Kind::kBlockIssue, 1, 4711);
  story_.Blocks(20, 1);
  story_.Irq(50, 1, "virtio2-req.0");
  story_.DiskDone(50, 1, 4711);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(51, Kind::kIrqExit, 1);
  Woken();
  const DiskTime time = DiskTimeOf(story_.Done().timelines(), story_.Explained(1).parts[2]);
  EXPECT_EQ(time.queue, 0u);
  EXPECT_EQ(time.service, 30u);
}

// The kernel divides a write that must reach the medium into flushes, which have no sector, and the
// data. It completes the whole write with the sector of the data, but without a length.
TEST_F(Situation, DiskWriteThatIsFlushed) {
  constexpr std::int64_t kNoSector = -1;
  BlockIn("fsync");
  story_.Disk(22, Kind::kBlockIssue, 1, 0);
  story_.Disk(24, Kind::kBlockComplete, 1, kNoSector);
  story_.Disk(25, Kind::kBlockIssue, 1, 4711, 8);
  story_.Disk(40, Kind::kBlockComplete, 1, 4711, 8);
  story_.Disk(41, Kind::kBlockIssue, 1, 0);
  story_.Irq(49, 1, "virtio2-req.0");
  story_.Disk(49, Kind::kBlockComplete, 1, kNoSector);
  story_.DiskDone(49, 1, 4711);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(51, Kind::kIrqExit, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:fsync 10; disk 30; ready 10; running:fsync 10; running 30");
  EXPECT_EQ(DiskTimeOf(story_.Done().timelines(), story_.Explained(1).parts[2]).service, 24u);
}

TEST_F(Situation, DiskReadThatASoftirqCompletes) {
  BlockIn("read");
  story_.Softirq(50, 1, 4);
  story_.DiskDone(50, 1, 8);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(51, Kind::kSoftirqExit, 1);
  EXPECT_EQ(Woken(), "running 10; running:read 10; disk 30; ready 10; running:read 10; running 30");
}

// The journal's thread writes for the thread that waits, so its own waits replace that wait.
TEST_F(Situation, SyncOfAFile) {
  story_.IsKernels(9);
  BlockIn("fsync");
  story_.Runs(21, 9, 1);
  story_.Blocks(25, 9, 0, kSleepsDeeply);
  story_.Irq(45, 0, "virtio2-req.0");
  story_.DiskDone(45, 0, 100);
  story_.WakesFrom(45, 0, 9);
  story_.Simply(45, Kind::kIrqExit, 0);
  story_.Runs(47, 9, 1);
  story_.Wakes(50, 9, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:fsync 10; unknown 1 (no wake-up recorded); thread 4 t9; disk 20; "
            "thread 5 t9; ready 10; running:fsync 10; running 30");
}

TEST_F(Situation, PageIn) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(1, 1, "getpid");
  story_.Returns(2, 1);
  story_.Blocks(20, 1, 0, kSleepsDeeply);
  story_.Irq(50, 1, "nvme0q1");
  story_.DiskDone(50, 1, 3);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(50, Kind::kIrqExit, 1);
  story_.Runs(60, 1, 0);
  story_.Finish(70, 1, 1);
  EXPECT_EQ(story_.Why(1),
            "running 1; running:getpid 1; running 18; fault 30; ready 10; running 10");
}

// The recording lacks most calls, such as read(), so the thread may have been in one of them.
TEST_F(Situation, NoPageInIfOnlySomeCallsAreRecorded) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(1, 1, "futex");
  story_.Returns(2, 1);
  story_.Blocks(20, 1, 0, kSleepsDeeply);
  story_.Irq(50, 1, "nvme0q1");
  story_.DiskDone(50, 1, 3);
  story_.WakesFrom(50, 1, 1);
  story_.Simply(50, Kind::kIrqExit, 1);
  story_.Runs(60, 1, 0);
  story_.Finish(70, 1, 1);
  EXPECT_EQ(story_.Why(1), "running 1; running:futex 1; running 18; disk 30; ready 10; running 10");
}

TEST_F(Situation, ReadyBehindAnotherThread) {
  BlockIn("nanosleep");
  story_.Runs(40, 2, 0);
  story_.Expires(50, 1, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:nanosleep 10; timer 30; ready 10 t2; running:nanosleep 10; "
            "running 30");
}

TEST_F(Situation, PreemptedByOneThreadAfterTheOther) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Runs(20, 2, 0);
  story_.Blocks(30, 2, 3);
  story_.Blocks(50, 3, 1);
  story_.Finish(60, 1, 1);
  EXPECT_EQ(story_.Why(1), "running 20; preempted 10 t2; preempted 20 t3; running 10");
}

TEST_F(Situation, PreemptedByAThreadOfRealTime) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  Event& event = story_.New(20, Kind::kSwitch, 0);
  event.number[Switch::kPrevTid] = 1;
  event.number[Switch::kPrevState] = 0x100;  // preempted in the kernel
  event.number[Switch::kPrevPrio] = 20;
  event.number[Switch::kNextTid] = 9;
  event.number[Switch::kNextPrio] = -51;
  story_.Tell();
  story_.Runs(50, 1, 0);
  story_.Finish(60, 1, 1);
  const Explanation why = story_.Explained(1);
  EXPECT_EQ(story_.Text(why.parts), "running 20; preempted 30 t9; running 10");
  EXPECT_LT(story_.Done().timelines().threads[why.parts[1].by].priority, 0);
}

TEST_F(Situation, PreemptedAndMovedToAnotherProcessor) {
  story_.Runs(0, 1, 0);
  story_.Runs(0, 3, 1);
  story_.Start(0, 1, 1);
  story_.Runs(20, 2, 0);
  story_.Migrates(30, 1, 1);
  story_.Blocks(50, 3, 1);
  story_.Finish(60, 1, 1);
  EXPECT_EQ(story_.Why(1), "running 20; preempted 10 t2; preempted 20 t3; running 10");
}

TEST_F(Situation, QuotaOfAControlGroup) {
  constexpr Time kMs = 1'000'000;
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Blocks(10, 1, 0, kReadyToRun);
  story_.Runs(10 + 40 * kMs, 1, 0);
  story_.Finish(20 + 40 * kMs, 1, 1);
  EXPECT_EQ(story_.Why(1), "running 10; ready 40000000 idle; running 10");
}

TEST_F(Situation, AffinityToABusyProcessor) {
  constexpr Time kMs = 1'000'000;
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Runs(10, 2, 0);  // CPU 1 is idle
  story_.Blocks(10 + 40 * kMs, 2, 1);
  story_.Finish(20 + 40 * kMs, 1, 1);
  EXPECT_EQ(story_.Why(1), "running 10; preempted 40000000 t2 idle; running 10");
}

TEST_F(Situation, IrqAndSoftirqStorm) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  for (Time time = 10; time < 40; time += 10) {
    story_.Irq(time, 0, "eth0");
    story_.Simply(time + 2, Kind::kIrqExit, 0);
    story_.Softirq(time + 2, 0, 3);
    story_.Simply(time + 7, Kind::kSoftirqExit, 0);
  }
  story_.Finish(40, 1, 1);
  EXPECT_EQ(story_.Why(1),
            "running 10; interrupted 2; interrupted 5; running 3; interrupted 2; interrupted 5; "
            "running 3; interrupted 2; interrupted 5; running 3");
  const Part irq = story_.Explained(1).parts[1];
  EXPECT_EQ(irq.context, Context::kIrq);
  EXPECT_EQ(story_.Done().timelines().names[irq.what], "eth0");
}

// The thread that ends the process is not its first thread, but the analysis names the first one.
TEST_F(Situation, ChildWithSeveralThreads) {
  Event& fork = story_.New(0, Kind::kFork, 1);
  fork.number[Fork::kChildTid] = fork.number[Fork::kChildPid] = 7;
  story_.Tell();
  Event& clone = story_.New(0, Kind::kFork, 1);
  clone.number[Fork::kChildTid] = 8;
  clone.number[Fork::kChildPid] = 7;
  story_.Tell();
  story_.Runs(0, 7, 1);
  BlockIn("wait4");
  story_.Blocks(45, 7, 8, kEnds);
  story_.Wakes(50, 8, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:wait4 10; child 30 t7 {running 25; unknown 5 (thread had ended)}; "
            "ready 10; running:wait4 10; running 30");
}

TEST_F(Situation, ForkAndWait) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Forks(5, 1, 2);
  story_.Call(10, 1, "wait4");
  story_.Runs(15, 2, 1);
  story_.Blocks(20, 1);
  story_.Call(45, 2, "exit_group");
  story_.Ends(46, 2);
  story_.Wakes(50, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:wait4 10; child 30 t2 {running 25; running:exit_group 5}; "
            "ready 10; running:wait4 10; running 30");
}

// The thread that is waited for was started during the wait. The time before is explained by the
// thread that started it.
TEST_F(Situation, ThreadThatWasNotYetThere) {
  story_.Runs(0, 5, 1);
  BlockIn("futex");
  story_.Forks(30, 5, 6);
  story_.Blocks(35, 5, 6);
  story_.Wakes(50, 6, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:futex 10; lock 30 t6 {thread 10 t5 {running 10}; ready 5; "
            "running 15}; ready 10; running:futex 10; running 30");
}

TEST_F(Situation, UserInput) {
  BlockIn("read");
  story_.Irq(50, 1, "i8042");
  story_.WakesFrom(50, 1, 1);
  story_.Simply(50, Kind::kIrqExit, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:read 10; input 30; ready 10; running:read 10; running 30");
}

// The server receives the request, works for 20 ns, and answers. The call may use the loopback
// device, or connect two network namespaces, which see the same addresses.
TEST_F(Situation, CallOfAServer) {
  story_.Runs(0, 2, 1);
  story_.Call(0, 2, "recvmsg");
  story_.Blocks(0, 2);
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Call(10, 1, "sendmsg", 3);
  story_.Packet(20, Kind::kPacketQueue, 0, 4000, 80, 1);
  story_.Arrives(20, 0, 4000, 80, 1, 2);
  story_.Call(20, 1, "recvmsg", 3);
  story_.Blocks(20, 1);
  story_.Runs(25, 2, 1);
  story_.Start(26, 2, 2, 1, "server");
  story_.Packet(46, Kind::kPacketQueue, 1, 80, 4000, 2);
  story_.Arrives(50, 1, 80, 4000, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:sendmsg 10; network 30 t2/2 {ready 5; running:recvmsg 21; "
            "network 4}; ready 10; running:recvmsg 10; running 30");
}

TEST_F(Situation, CallOfAServerThatIsNotTraced) {
  BlockIn("recvmsg");
  story_.Arrives(50, 1, 80, 4000, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:recvmsg 10; network 30; ready 10; running:recvmsg 10; "
            "running 30");
}

// Another connection has the same sequence numbers. Trace Compass would mistake its packet for the
// answer.
TEST_F(Situation, PacketsOfOtherConnectionsAreNotMistaken) {
  story_.Runs(0, 2, 1);
  BlockIn("recvmsg");
  story_.Packet(30, Kind::kPacketQueue, 1, 81, 4001, 2);
  story_.Arrives(50, 1, 80, 4000, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:recvmsg 10; network 30; ready 10; running:recvmsg 10; "
            "running 30");
}

// Span 1 of thread 1 waits from 20 ms on for a packet, which thread 2 sends for the first time at
// 30 ms. The packet arrives at `arrival`.
class Transmission : public ::testing::Test {
 protected:
  static constexpr Time kMs = 1'000'000;

  Transmission() {
    story_.Runs(0, 2, 1);
    story_.Runs(0, 1, 0);
    story_.Start(0, 1, 1);
    story_.Call(10 * kMs, 1, "recvmsg");
    story_.Blocks(20 * kMs, 1);
    story_.Packet(30 * kMs, Kind::kPacketQueue, 1, 80, 4000, 2);
  }
  PacketSource Arrived(Time arrival) {
    story_.Arrives(arrival, 1, 80, 4000, 2, 1);
    story_.Runs(arrival + 1, 1, 0);
    story_.Finish(arrival + 10, 1, 1);
    const Timelines& timelines = story_.Done().timelines();
    return timelines.packets[timelines.waits[story_.Explained(1).parts[2].wait].packet];
  }

  Story story_;
};

TEST_F(Transmission, IsRepeated) {
  story_.Packet(240 * kMs, Kind::kPacketQueue, 1, 80, 4000, 2);
  const PacketSource packet = Arrived(241 * kMs);
  EXPECT_EQ(packet.transmissions, 2u);
  EXPECT_EQ(packet.sent, 30 * kMs);
}

TEST_F(Transmission, IsRepeatedAfterTheReceiverDroppedThePacket) {
  story_.Packet(31 * kMs, Kind::kPacketReceive, 1, 80, 4000, 2);
  story_.Packet(240 * kMs, Kind::kPacketQueue, 1, 80, 4000, 2);
  const PacketSource packet = Arrived(241 * kMs);
  EXPECT_EQ(packet.transmissions, 2u);
  EXPECT_EQ(packet.sent, 30 * kMs);
}

TEST_F(Transmission, IsOneThroughSeveralDevices) {
  story_.Packet(31 * kMs, Kind::kPacketReceive, 1, 80, 4000, 2);
  story_.Packet(32 * kMs, Kind::kPacketQueue, 1, 80, 4000, 2);
  EXPECT_EQ(Arrived(33 * kMs).transmissions, 1u);
}

// Datagrams have no sequence numbers. If several are equal, the first one sent is the first one
// received.
TEST_F(Situation, DatagramsInTheirOrder) {
  const auto datagram = [&](Time time, Kind kind, std::uint32_t cpu) {
    Event& event = story_.New(time, kind, cpu);
    event.number[Packet::kProtocol] = 17;
    event.number[Packet::kSourceHigh] = event.number[Packet::kTargetHigh] = 0;
    event.number[Packet::kSourceLow] = event.number[Packet::kTargetLow] = 1;
    event.number[Packet::kSourcePort] = event.number[Packet::kTargetPort] = 53;
    event.number[Packet::kLength] = 9;
    story_.Tell();
  };
  story_.Runs(0, 2, 1);
  BlockIn("recvfrom");
  datagram(30, Kind::kPacketQueue, 1);
  story_.Runs(35, 3, 1);
  datagram(40, Kind::kPacketQueue, 1);
  story_.Softirq(50, 0, 3);
  datagram(50, Kind::kPacketReceive, 0);
  story_.WakesFrom(50, 0, 1);
  datagram(50, Kind::kPacketReceive, 0);
  story_.Simply(50, Kind::kSoftirqExit, 0);
  EXPECT_EQ(Woken(),
            "running 10; running:recvfrom 10; network 30 t2 {running 10; network 20}; ready 10; "
            "running:recvfrom 10; running 30");
}

// The events of two hosts may be in any order. Here the answer is received before it is sent.
TEST_F(Situation, PacketThatIsReceivedBeforeItIsSent) {
  story_.Runs(0, 2, 1);
  BlockIn("recvmsg");
  story_.Arrives(50, 0, 80, 4000, 2, 1);
  story_.Packet(50, Kind::kPacketQueue, 1, 80, 4000, 2);
  EXPECT_EQ(Woken(),
            "running 10; running:recvmsg 10; network 30 t2 {running 30}; ready 10; "
            "running:recvmsg 10; running 30");
}

// The recording contains the server's spans, but not its kernel.
TEST_F(Situation, CallOfAServerOfWhichOnlySpansAreThere) {
  BlockIn("recvmsg");
  for (const auto& [time, kind] : {std::pair(30, Kind::kSpanStart), {40, Kind::kSpanFinish}}) {
    Event& event = story_.OfSpan(static_cast<Time>(time), kind, 7, 2);
    event.pid = 2;
    event.host = 1;
    event.number[Span::kParent] = 1;
    story_.Tell();
  }
  story_.Arrives(50, 1, 80, 4000, 2, 1);
  EXPECT_EQ(Woken(),
            "running 10; running:recvmsg 10; network 30 t7/2; ready 10; running:recvmsg 10; "
            "running 30");
}

// Thread n waits for the lock of thread n + 1, and the last thread computes.
TEST_F(Situation, ChainOfEightLocks) {
  Story story(1);
  for (int thread = 1; thread <= 8; ++thread) {
    story.Runs(static_cast<Time>(thread), thread, 0);
    if (thread == 1) story.Start(1, 1, 1);
    story.Call(static_cast<Time>(thread), thread, "futex", thread);
    story.Blocks(static_cast<Time>(thread) + 1, thread);
  }
  Time time = 10;
  story.Runs(time, 9, 0);
  for (int waker = 9; waker > 1; --waker) {
    time += 10;
    story.Wakes(time, waker, waker - 1);
    story.Blocks(time, waker, waker - 1);
    story.Returns(time, waker - 1);
  }
  story.Finish(100, 1, 1);
  const Explanation why = story.Explained(1);
  int depth = 0;
  for (const Part& part : why.parts) {
    if (part.cause != Cause::kLock) continue;
    EXPECT_EQ(part.depth, depth++);
    EXPECT_EQ(story.Done().timelines().threads[part.by].tid, depth + 1);
    EXPECT_EQ(story.Done().timelines().waits[part.wait].object, depth);
  }
  EXPECT_EQ(depth, 8);
}

TEST_F(Situation, TaskOfAThreadPool) {
  story_.Runs(0, 1, 0);
  story_.Start(0, 1, 1);
  story_.Runs(2, 2, 1);
  story_.Call(3, 2, "futex");
  story_.Blocks(5, 2);
  story_.Wakes(10, 1, 2);
  story_.Runs(15, 2, 1);
  story_.Returns(16, 2);
  story_.Enters(20, 2, 1);
  story_.Leaves(90, 2, 1);
  story_.Finish(90, 2, 1);
  EXPECT_EQ(story_.Why(1),
            "queued unknown 2 (no wake-up recorded); queued thread 3 t2; "
            "queued lock 5 t1/1 {running 5}; queued ready 5; queued thread 5 t2; running 70");
}

// While the span waits for its turn, the thread of the pool works for span 3.
TEST_F(Situation, QueuedBehindAnotherSpan) {
  story_.Runs(0, 1, 0);
  story_.Runs(0, 2, 1);
  story_.Start(0, 2, 3);
  story_.Enters(0, 2, 3);
  story_.Start(10, 1, 1);
  story_.Leaves(40, 2, 3);
  story_.Enters(50, 2, 1);
  story_.Leaves(80, 2, 1);
  story_.Finish(80, 1, 1);
  EXPECT_EQ(story_.Why(1), "queued thread 40 t2/3; running 30");
}

TEST_F(Situation, CoroutineThatMoves) {
  story_.Runs(0, 1, 0);
  story_.Runs(0, 2, 1);
  story_.Start(0, 1, 1);
  story_.Enters(0, 1, 1);
  story_.Leaves(30, 1, 1);
  story_.Enters(40, 2, 1);
  story_.Leaves(70, 2, 1);
  story_.Enters(75, 1, 1);
  story_.Leaves(90, 1, 1);
  story_.Finish(90, 1, 1);
  EXPECT_EQ(story_.Why(1),
            "running 30; queued thread 10 t2; running 30; queued thread 5 t1/1; running 15");
}

}  // namespace
}  // namespace tracekin::analysis
