#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that Trace Compass' critical path of a span's thread explains why the span took its time.
Also runs the tests of the views on this trace of a whole machine.

usage: tests/tracecompass/critical_path_test.py [FOLDER]

FOLDER, by default $TRACEKIN_KERNEL_TRACE, holds the LTTng traces kernel/ and ust/ of one machine,
recorded while a program made spans of the operations that are named below, outside of containers.
"""

import collections
import os
import pathlib
import statistics
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
try:
    import bt2
    import trace_compass
    import views_test
except ImportError as error:
    print(f"SKIPPED: {error} (python3-bt2)")
    sys.exit(77)

XML = views_test.XML
# The cause of each operation's waits in Trace Compass: a state, or the operation of another span.
WAITS = {"sleep": "TIMER", "lock": "hold lock", "disk": "disk", "call": "NETWORK"}
# States in which a thread does not wait: the rest of an operation, since the machine may be busy.
ON_CPU = ("RUNNING", "PREEMPTED")

Span = collections.namedtuple("Span", "name thread begin end")
Edge = collections.namedtuple("Edge", "thread thread_name begin end state")


def spans_in_trace_compass(traces, ust):
    """Yields the spans with Trace Compass' times, which come from one clock for all traces of a
    machine."""
    threads, names = {}, {}
    for message in bt2.TraceCollectionMessageIterator(str(ust)):
        if type(message) is bt2._EventMessageConst:
            if message.event.name == "tracekin:exporter_stats":
                continue
            event, span = message.event, int(message.event["span_id"])
            if event.name == "tracekin:scope_enter":
                threads.setdefault(span, int(event["tid"]))
            elif event.name == "tracekin:span_start":
                names[span] = str(event["op_name"])
    for path, begin, end, row in trace_compass.run("analyse", XML, *traces)["state"]:
        if path[0] == "Spans" and row and int(path[1]) in threads:
            span = int(path[1])
            yield Span(names[span], threads[span], begin, end + 1)


class Views(views_test.Views):
    """All tests of the views, on the trace of a machine."""

    @classmethod
    def setUpClass(cls):
        cls.read(FOLDER / "ust", views_test.spans_in(FOLDER / "spans.json"))

    test_the_workload_does_what_the_views_are_to_show = None  # the workload is another one


class CriticalPath(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        traces = trace_compass.traces(FOLDER / "kernel") + trace_compass.traces(FOLDER / "ust")
        cls.spans = list(spans_in_trace_compass(traces, FOLDER / "ust"))
        threads = ",".join({str(span.thread) for span in cls.spans})
        cls.paths = collections.defaultdict(list)
        for of, thread, *rest in trace_compass.run("paths", threads, *traces)["path"]:
            cls.paths[int(of)].append(Edge(int(thread), *rest))

    def times(self, span):
        """Yields the critical path of the span's thread within the span: (time, edge)."""
        for edge in self.paths[span.thread]:
            time = min(edge.end, span.end) - max(edge.begin, span.begin)
            if time > 0:
                yield time, edge

    def wait(self, span, edge):
        """Returns what the span's thread does in this edge, or what it waits for."""
        if edge.thread == span.thread:
            # Modern drivers complete a request in a hard interrupt, which Trace Compass calls
            # BLOCKED.
            return "disk" if edge.state in ("BLOCK_DEVICE", "BLOCKED") else edge.state
        if edge.thread_name.startswith(("jbd2/", "kworker/")):
            return "disk"
        if edge.state == "NETWORK":
            return "NETWORK"
        for other in self.spans:
            if other.thread == edge.thread and other.begin < edge.end and other.end > edge.begin:
                return "NETWORK" if other.name == "serve" else other.name
        return ""

    def test_paths_cover_their_spans(self):
        self.assertGreater(len(self.spans), 0)
        for span in self.spans:
            share = sum(time for time, _ in self.times(span)) / (span.end - span.begin)
            self.assertAlmostEqual(share, 1, delta=0.001, msg=span)

    def shares(self, name):
        """Yields, for each span of an operation, the share of its time that it spends on each
        cause."""
        for span in self.spans:
            if span.name == name:
                parts = collections.Counter()
                for time, edge in self.times(span):
                    parts[self.wait(span, edge)] += time / (span.end - span.begin)
                yield parts

    def test_operations_wait_for_what_they_should(self):
        for name, cause in WAITS.items():
            with self.subTest(name):
                together = sum(self.shares(name), collections.Counter())
                waits = sum(share for of, share in together.items() if of not in ON_CPU)
                print(name, *(f"{of or '?'} {share / together.total():.1%}"
                              for of, share in together.most_common()), sep=", ")
                self.assertGreater(waits / together.total(), 0.25)
                self.assertGreater(together[cause] / waits, 0.8)

    def test_a_sleep_is_a_timer(self):
        self.assertGreater(statistics.median(of["TIMER"] for of in self.shares("sleep")), 0.8)

    def test_who_holds_a_lock_runs(self):
        self.assertGreater(statistics.median(of["RUNNING"] for of in self.shares("hold lock")), 0.8)

    def test_preemption_is_seen(self):
        self.assertGreater(
            statistics.median(of["PREEMPTED"] for of in self.shares("preempted")), 0.25)


if __name__ == "__main__":
    given = sys.argv.pop(1) if len(sys.argv) > 1 else os.environ.get("TRACEKIN_KERNEL_TRACE")
    if given in ("-h", "--help"):
        sys.exit(__doc__)
    if not given:
        print("SKIPPED: there is no kernel trace; set TRACEKIN_KERNEL_TRACE to its folder")
        sys.exit(77)
    FOLDER = pathlib.Path(given)
    if not FOLDER.exists():
        print(f"SKIPPED: nothing was recorded in {FOLDER}; see the test kernel_recording")
        sys.exit(77)
    trace_compass.install()
    unittest.main(verbosity=2)
