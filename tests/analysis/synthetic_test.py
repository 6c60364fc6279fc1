#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `tracekin why` with traces whose every nanosecond is known.

usage: tests/analysis/synthetic_test.py PATH-OF-tracekin

Each situation is a schedule with random times. babeltrace2 writes its events as a trace of the
kernel and a trace of a program. The causes that the schedule consists of are compared with those
that `tracekin why` finds.
"""

import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import uuid

try:
    import bt2
except ImportError as error:
    print(f"SKIPPED: {error} (python3-bt2)")
    sys.exit(77)

CPUS = 3
ROUNDS = 40
SLEEPS, SLEEPS_DEEPLY = 1, 2
NUMBERS = {
    "sched_switch": ["prev_tid", "prev_prio", "prev_state", "next_tid", "next_prio"],
    "sched_waking": ["tid", "prio", "target_cpu"],
    "sched_process_fork": ["parent_tid", "parent_pid", "child_tid", "child_pid"],
    "irq_handler_entry": ["irq"], "irq_handler_exit": ["irq"],
    "irq_softirq_entry": ["vec"], "irq_softirq_exit": ["vec"],
    "timer_hrtimer_expire_entry": ["hrtimer"], "timer_hrtimer_expire_exit": ["hrtimer"],
    "block_rq_issue": ["dev", "sector", "nr_sector"],
    "block_rq_complete": ["dev", "sector", "nr_sector"],
    "lttng_statedump_process_state": ["tid", "pid", "ppid", "status", "cpu", "type"],
    **{f"syscall_entry_{call}": ["uaddr", "fd"] for call in
       ("futex", "read", "clock_nanosleep", "wait4", "recvmsg", "fsync", "exit", "io_uring_enter")},
}
NUMBERS.update({name.replace("entry", "exit"): ["ret"] for name in list(NUMBERS)
                if name.startswith("syscall_entry")})
TEXTS = {"sched_switch": ["prev_comm", "next_comm"], "sched_waking": ["comm"],
         "sched_process_fork": ["child_comm"], "irq_handler_entry": ["name"],
         "lttng_statedump_process_state": ["name"]}
IDS = ["trace_id_high", "trace_id_low", "span_id", "tid"]
OF_PROGRAM = {"tracekin:span_start": IDS + ["parent_span_id", "start_time"],
              "tracekin:span_finish": IDS + ["duration", "error"],
              "tracekin:scope_enter": IDS, "tracekin:scope_exit": IDS}
TEXTS_OF_PROGRAM = {"tracekin:span_start": ["op_name", "service", "kind"]}


class Machine:
    """Makes the events of threads on processors, and remembers what spans do."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now = 1_000_000_000
        self.events = []  # (time, is of the kernel, cpu, name, values)
        self.on = [0] * CPUS
        self.cpu_of = {}
        self.truth = {}  # span -> Counter of ns by cause
        self.spans = 0
        self.threads = 100
        for cpu in range(CPUS):
            self.event("sched_switch", cpu)

    def event(self, event, cpu, /, kernel=True, **values):
        self.events.append((self.now, kernel, cpu, event, values))

    def wait(self):
        """Lets time pass and returns how much."""
        length = self.random.randrange(1_000, 3_000_000)
        self.now += length
        return length

    def thread(self):
        self.threads += 1
        return self.threads

    def switch(self, cpu, to, state=0):
        of = self.on[cpu]
        self.event("sched_switch", cpu, prev_tid=of, prev_state=state, next_tid=to,
                   prev_comm=f"t{of}", next_comm=f"t{to}")
        self.on[cpu] = to
        self.cpu_of[to] = cpu

    def run(self, thread, cpu):
        self.switch(cpu, thread)

    def block(self, thread, state=SLEEPS):
        self.switch(self.cpu_of[thread], 0, state)

    def wake(self, thread, cpu):
        self.event("sched_waking", cpu, tid=thread, target_cpu=self.cpu_of.get(thread, cpu),
                   comm=f"t{thread}")

    def call(self, thread, name):
        self.event("syscall_entry_" + name, self.cpu_of[thread])

    def back(self, thread, name):
        self.event("syscall_exit_" + name, self.cpu_of[thread])

    def of_span(self, name, span, thread, **values):
        self.event("tracekin:" + name, self.cpu_of[thread], kernel=False, trace_id_low=span,
                   span_id=span, tid=thread, **values)

    def start(self, thread, operation):
        self.spans += 1
        self.truth[self.spans] = collections.Counter()
        self.of_span("span_start", self.spans, thread, op_name=operation, service="made")
        self.of_span("scope_enter", self.spans, thread)
        return self.spans

    def finish(self, thread, span):
        self.of_span("scope_exit", span, thread)
        self.of_span("span_finish", span, thread)


def waiting(machine, name, call, cause, wake, state=SLEEPS):
    """A span runs, waits in a call (or in none) on CPU 0 until `wake`, is ready and runs again."""
    thread = machine.thread()
    machine.run(thread, 0)
    span = machine.start(thread, name)
    truth = machine.truth[span]
    truth["running"] += machine.wait()
    if call:
        machine.call(thread, call)
        truth["running"] += machine.wait()
    else:  # a call before shows that the thread is in none
        machine.call(thread, "read")
        truth["running"] += machine.wait()
        machine.back(thread, "read")
        truth["running"] += machine.wait()
    machine.block(thread, state)
    truth[cause] += machine.wait()
    wake(machine, thread)
    truth["ready"] += machine.wait()
    machine.run(thread, 0)
    truth["running"] += machine.wait()
    if call:
        machine.back(thread, call)
        truth["running"] += machine.wait()
    machine.finish(thread, span)
    machine.block(thread)
    machine.wait()


def by_thread(machine, thread):
    """Another thread, on CPU 1, wakes it."""
    other = machine.thread()
    machine.run(other, 1)
    machine.wake(thread, 1)
    machine.block(other)


def by_timer(machine, thread):
    machine.event("timer_hrtimer_expire_entry", 1)
    machine.wake(thread, 1)
    machine.event("timer_hrtimer_expire_exit", 1)


def by_disk(machine, thread):
    machine.event("irq_handler_entry", 1, name="virtio2-req.0")
    machine.event("block_rq_complete", 1, dev=254 << 20, sector=machine.now, nr_sector=8)
    machine.wake(thread, 1)
    machine.event("irq_handler_exit", 1)


def by_softirq(vector):
    def wake(machine, thread):
        machine.event("irq_softirq_entry", 1, vec=vector)
        machine.wake(thread, 1)
        machine.event("irq_softirq_exit", 1, vec=vector)
    return wake


def by_keyboard(machine, thread):
    machine.event("irq_handler_entry", 1, name="i8042")
    machine.wake(thread, 1)
    machine.event("irq_handler_exit", 1)


def preempted(machine):
    thread, hog = machine.thread(), machine.thread()
    machine.run(thread, 0)
    span = machine.start(thread, "preempted")
    for _ in range(5):
        machine.truth[span]["running"] += machine.wait()
        machine.run(hog, 0)
        machine.truth[span]["preempted"] += machine.wait()
        machine.run(thread, 0)
    machine.finish(thread, span)
    machine.block(thread)


def quota(machine):
    thread = machine.thread()
    machine.run(thread, 0)
    span = machine.start(thread, "quota")
    for _ in range(3):
        machine.truth[span]["running"] += machine.wait()
        machine.switch(0, 0)
        machine.truth[span]["ready"] += machine.wait()
        machine.run(thread, 0)
    machine.finish(thread, span)
    machine.block(thread)


def interrupted(machine):
    thread = machine.thread()
    machine.run(thread, 0)
    span = machine.start(thread, "interrupted")
    truth = machine.truth[span]
    for _ in range(5):
        truth["running"] += machine.wait()
        machine.event("irq_handler_entry", 0, name="eth0")
        truth["interrupted"] += machine.wait()
        machine.event("irq_handler_exit", 0)
        machine.event("irq_softirq_entry", 0, vec=3)
        truth["interrupted"] += machine.wait()
        machine.event("timer_hrtimer_expire_entry", 0)
        truth["interrupted"] += machine.wait()
        machine.event("timer_hrtimer_expire_exit", 0)
        machine.event("irq_softirq_exit", 0, vec=3)
    truth["running"] += machine.wait()
    machine.finish(thread, span)
    machine.block(thread)


def coroutine(machine):
    """Sleeps in the scopes of two threads. Between them the second thread runs."""
    one, other = machine.thread(), machine.thread()
    machine.run(one, 0)
    machine.run(other, 1)
    span = machine.start(one, "coroutine")
    truth = machine.truth[span]
    for thread in (one, other):
        if thread == other:
            machine.of_span("scope_exit", span, one)
            truth["thread"] += machine.wait()  # queued, while the second thread does other work
            machine.of_span("scope_enter", span, other)
        machine.call(thread, "clock_nanosleep")
        truth["running"] += machine.wait()
        cpu = machine.cpu_of[thread]
        machine.block(thread)
        truth["timer"] += machine.wait()
        machine.event("timer_hrtimer_expire_entry", 2)
        machine.wake(thread, 2)
        machine.event("timer_hrtimer_expire_exit", 2)
        truth["ready"] += machine.wait()
        machine.run(thread, cpu)
        machine.back(thread, "clock_nanosleep")
        truth["running"] += machine.wait()
    machine.finish(other, span)
    machine.block(one)
    machine.block(other)


def journal(machine):
    """The wait for a kernel thread is replaced by that thread's wait for a disk."""
    thread, worker = machine.thread(), machine.thread()
    machine.event("lttng_statedump_process_state", 1, tid=worker, pid=worker, ppid=2, type=1,
                  name="jbd2")
    machine.run(worker, 1)
    machine.run(thread, 0)
    span = machine.start(thread, "journal")
    truth = machine.truth[span]
    machine.call(thread, "fsync")
    truth["running"] += machine.wait()
    machine.block(thread, SLEEPS_DEEPLY)
    truth["thread"] += machine.wait()  # the worker runs
    machine.block(worker, SLEEPS_DEEPLY)
    truth["disk"] += machine.wait()
    machine.event("irq_handler_entry", 2, name="virtio2-req.0")
    machine.event("block_rq_complete", 2, dev=254 << 20, sector=8, nr_sector=8)
    machine.wake(worker, 2)
    machine.event("irq_handler_exit", 2)
    truth["thread"] += machine.wait()  # the worker is ready
    machine.run(worker, 1)
    truth["thread"] += machine.wait()
    machine.wake(thread, 1)
    truth["ready"] += machine.wait()
    machine.run(thread, 0)
    machine.finish(thread, span)
    machine.block(thread)
    machine.block(worker)


SITUATIONS = [
    lambda m: waiting(m, "lock", "futex", "lock", by_thread),
    lambda m: waiting(m, "lock with a time-out", "futex", "timer", by_timer),
    lambda m: waiting(m, "pipe", "read", "thread", by_thread),
    lambda m: waiting(m, "io_uring", "io_uring_enter", "disk", by_disk),
    lambda m: waiting(m, "child", "wait4", "child", by_thread),
    lambda m: waiting(m, "sleep", "clock_nanosleep", "timer", by_timer),
    lambda m: waiting(m, "timer of a softirq", "read", "timer", by_softirq(1)),
    lambda m: waiting(m, "disk", "read", "disk", by_disk, SLEEPS_DEEPLY),
    lambda m: waiting(m, "disk of a softirq", "fsync", "disk", by_softirq(4), SLEEPS_DEEPLY),
    lambda m: waiting(m, "network", "recvmsg", "network", by_softirq(3)),
    lambda m: waiting(m, "page fault", None, "fault", by_disk, SLEEPS_DEEPLY),
    lambda m: waiting(m, "input", "read", "input", by_keyboard),
    lambda m: waiting(m, "RCU", "read", "unknown", by_softirq(9)),
    preempted, quota, interrupted, coroutine, journal,
]


def messages_of(iterator, streams, classes, machine):
    first, last = machine.events[0][0], machine.events[-1][0]
    packets = {}
    for (kernel, cpu), stream in streams.items():
        yield iterator._create_stream_beginning_message(stream)
        packet = packets[kernel, cpu] = stream.create_packet()
        packet.context_field["cpu_id"] = cpu
        yield iterator._create_packet_beginning_message(packet, first)
    for time, kernel, cpu, name, values in machine.events:
        message = iterator._create_event_message(classes[name], packets[kernel, cpu], time)
        numbers = NUMBERS if kernel else OF_PROGRAM
        texts = TEXTS if kernel else TEXTS_OF_PROGRAM
        for field in numbers[name]:
            message.event.payload_field[field] = values.get(field, 0)
        for field in texts.get(name, []):
            message.event.payload_field[field] = values.get(field, "")
        yield message
    for key, packet in packets.items():
        yield iterator._create_packet_end_message(packet, last)
        yield iterator._create_stream_end_message(streams[key])


class Iterator(bt2._UserMessageIterator):
    def __init__(self, _config, port):
        source = port.user_data
        self.messages = messages_of(self, source.streams, source.classes, source.machine)

    def __next__(self):
        return next(self.messages)


class Source(bt2._UserSourceComponent, message_iterator_class=Iterator):
    """Turns the events of a Machine into messages. Both traces have the same clock."""

    def __init__(self, _config, _params, machine):
        clock = self._create_clock_class(name="monotonic", frequency=1_000_000_000,
                                         uuid=uuid.UUID(int=7))
        self.machine, self.streams, self.classes = machine, {}, {}
        self.add_trace(clock, True, NUMBERS, TEXTS)
        self.add_trace(clock, False, OF_PROGRAM, TEXTS_OF_PROGRAM)
        self._add_output_port("out", self)

    def add_trace(self, clock, kernel, numbers, texts):
        trace_class = self._create_trace_class()
        context = trace_class.create_structure_field_class()
        context += [("cpu_id", trace_class.create_unsigned_integer_field_class(32))]
        stream_class = trace_class.create_stream_class(
            default_clock_class=clock, supports_packets=True, packet_context_field_class=context,
            packets_have_beginning_default_clock_snapshot=True,
            packets_have_end_default_clock_snapshot=True)
        for name, fields in numbers.items():
            payload = trace_class.create_structure_field_class()
            payload += [(field, trace_class.create_signed_integer_field_class(64))
                        for field in fields]
            payload += [(field, trace_class.create_string_field_class())
                        for field in texts.get(name, [])]
            self.classes[name] = stream_class.create_event_class(
                name=name, payload_field_class=payload)
        trace = trace_class(name="kernel" if kernel else "ust", environment={
            "domain": "kernel" if kernel else "ust", "hostname": "made"})
        for cpu in range(CPUS):
            self.streams[kernel, cpu] = trace.create_stream(stream_class)


def write(machine, folder):
    graph = bt2.Graph()
    source = graph.add_component(Source, "source", obj=machine)
    plugin = bt2.find_plugin("ctf").sink_component_classes["fs"]
    sink = graph.add_component(plugin, "sink", {"path": folder, "quiet": True})
    graph.connect_ports(source.output_ports["out"], sink.input_ports["in"])
    graph.run()


class Synthetic(unittest.TestCase):
    def test_every_nanosecond_has_its_cause(self):
        machine = Machine(seed=1)
        for _ in range(ROUNDS):
            for situation in SITUATIONS:
                situation(machine)
        with tempfile.TemporaryDirectory() as folder:
            write(machine, folder)
            self.assertTrue(list(pathlib.Path(folder).rglob("metadata")))
            told = subprocess.run([TRACEKIN, "why", folder, "--all", "--json"], check=True,
                                  stdout=subprocess.PIPE, text=True, timeout=300).stdout
        spans = [json.loads(line) for line in told.splitlines()]
        self.assertEqual(len(spans), machine.spans)
        right = total = 0
        for span in spans:
            found = collections.Counter()
            for part in span["parts"]:
                found[part["cause"]] += part["ns"]
            truth = machine.truth[int(span["span_id"], 16)]
            self.assertEqual(truth.total(), span["duration_ns"], span["operation"])
            right += (found & truth).total()
            total += truth.total()
            with self.subTest(span["operation"]):
                self.assertEqual(+found, +truth)
        print(f"{len(spans)} spans, right for {right / total:.4%}")
        self.assertGreater(right / total, 0.999)


if __name__ == "__main__":
    TRACEKIN = sys.argv.pop(1)
    unittest.main(verbosity=2)
