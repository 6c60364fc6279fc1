#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that every span event is on the thread that the kernel recorded as running.

usage: correlation_test.py Plain|PidNamespace RECORDING   RECORDING is a folder that `record` made

A span event names its thread (`tid`), and LTTng adds the CPU and the time. The kernel's
sched_switch events show which thread had a CPU from which time on. Both must agree for every event.

Times are raw values of the one clock that both tracers read. Each tracer measures by itself how far
that clock is from the calendar, and the results differ by microseconds. By calendar time, an event
may therefore end up on the wrong side of a sched_switch.
"""

import collections
import dataclasses
import heapq
import operator
import os
import sys
import unittest

try:
    import bt2
except ImportError:
    print("SKIPPED: the Python module bt2 is not installed (python3-bt2)")
    sys.exit(77)

OPERATIONS = {"round", "sleep", "lock", "hold lock", "disk", "call", "serve", "preempted", "pool",
              "task", "fork", "child"}


@dataclasses.dataclass
class Event:
    time: int  # the clock's raw value
    cpu: int
    name: str
    fields: object


class Trace:
    """The events of one tracer, ordered by time."""

    def __init__(self, folder):
        self.events, self.clocks, self.discarded = [], set(), 0
        for message in bt2.TraceCollectionMessageIterator(folder):
            if type(message) is bt2._EventMessageConst:
                self.take(message.default_clock_snapshot, message.event)
            elif "Discarded" in type(message).__name__:
                self.discarded += message.count or 1

    def take(self, clock, event):
        self.clocks.add((clock.clock_class.uuid, clock.clock_class.frequency))
        cpu = int(event.packet.context_field["cpu_id"])
        self.events.append(Event(clock.value, cpu, event.name, event))


class Replay:
    """Replays the kernel's events. `seen` holds what they show about each span event."""

    def __init__(self, kernel, user, shift=0):
        self.running = {}  # CPU -> thread
        self.threads = {}  # PID namespace, thread id in it -> thread
        self.seen = []  # span event, thread by its tid and PID namespace, thread that had the CPU
        moved = (dataclasses.replace(event, time=event.time + shift) for event in user.events)
        for event in heapq.merge(kernel.events, moved, key=operator.attrgetter("time")):
            self.take(event, event.fields)

    def take(self, event, fields):
        if event.name == "sched_switch":
            self.running[event.cpu] = int(fields["next_tid"])
        elif event.name == "lttng_statedump_process_pid_ns":
            self.threads[int(fields["ns_inum"]), int(fields["vtid"])] = int(fields["tid"])
        elif event.name == "sched_process_fork":
            innermost = int(fields["vtids"][len(fields["vtids"]) - 1])
            self.threads[int(fields["child_ns_inum"]), innermost] = int(fields["child_tid"])
        elif event.name.startswith("tracekin:"):
            named = self.threads.get((int(fields["pid_ns"]), int(fields["tid"])))
            self.seen.append((fields, named, self.running.get(event.cpu)))

    def mismatches(self):
        return [seen for seen in self.seen if seen[1] is None or seen[1] != seen[2]]


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = os.path.join(RECORDING, cls.FOLDER)
        cls.kernel, cls.user = Trace(folder + "/kernel"), Trace(folder + "/ust")
        cls.replay = Replay(cls.kernel, cls.user)

    def test_every_event_is_on_the_thread_that_ran(self):
        mismatches, total = self.replay.mismatches(), len(self.replay.seen)
        print(f"{total - len(mismatches)} / {total} span events are on the thread that the kernel "
              f"says was running, by {len(self.kernel.events)} kernel events")
        for event, named, running in mismatches:
            print(f"{event.name} of thread {event['tid']}, {named} for the kernel; {running} ran")
        self.assertEqual(mismatches, [])

    def test_nothing_was_discarded(self):
        print(f"discarded events: {self.kernel.discarded} kernel, {self.user.discarded} user")
        self.assertEqual((self.kernel.discarded, self.user.discarded), (0, 0))

    def test_both_read_one_clock(self):
        self.assertEqual(self.kernel.clocks, self.user.clocks)
        self.assertEqual(len(self.user.clocks), 1)

    def test_every_operation_is_there(self):
        started = collections.Counter(
            str(event["op_name"]) for event, _, _ in self.replay.seen
            if event.name == "tracekin:span_start")
        self.assertEqual(set(started), OPERATIONS)
        self.assertGreaterEqual(min(started.values()), 5)
        for event, _, _ in self.replay.seen:
            self.assertEqual(event["tid"], event["vtid"])

    def test_a_clock_that_is_wrong_is_found(self):
        for shift in (-10_000_000, 10_000_000):  # longer than a thread runs without a switch
            wrong = Replay(self.kernel, self.user, shift).mismatches()
            print(f"{len(wrong)} are not, if the clock is wrong by {shift / 1e6:+g} ms")
            self.assertGreater(len(wrong), len(self.replay.seen) / 20)


class Plain(Recording):
    FOLDER = "plain"

    def test_ids_are_the_kernels(self):
        for event, named, _ in self.replay.seen:
            self.assertEqual(event["tid"], named)


class PidNamespace(Recording):
    FOLDER = "pid_namespace"

    def test_ids_are_not_the_kernels(self):
        for event, named, _ in self.replay.seen:
            self.assertNotEqual(event["tid"], named)

    def test_threads_of_before_and_of_after_the_start_are_there(self):
        forked = {int(event.fields["child_tid"])
                  for event in self.kernel.events if event.name == "sched_process_fork"}
        threads = {named for _, named, _ in self.replay.seen}
        self.assertTrue(threads & forked and threads - forked)


del Recording  # it is a base class, not a test
if __name__ == "__main__":
    RECORDING = sys.argv.pop()
    if not os.path.exists(RECORDING):
        print(f"SKIPPED: nothing was recorded in {RECORDING}; see the test kernel_recording")
        sys.exit(77)
    unittest.main(verbosity=2)
