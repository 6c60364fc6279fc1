#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the real Trace Compass shows a trace's content: what bt2 reads, and what was exported.

usage: scripts/with-lttng tests/tracecompass/views_test.py PATH-OF-tracecompass_workload
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
try:
    import bt2
    import trace_compass
except ImportError as error:
    print(f"SKIPPED: {error} (python3-bt2)")
    sys.exit(77)

SHARE = HERE.parents[1] / "ust/tracecompass"
XML = SHARE / "tracekin.xml"
OPEN, WAITING, WORKING = 1, 2, 3
UNKNOWN = "(unknown span)"


def lttng(*arguments):
    subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.DEVNULL)


def start_tracing(folder):
    lttng("create", "views", "--output", str(folder / "lttng"))
    lttng("enable-channel", "--userspace", "all", "--subbuf-size=4M")
    lttng("enable-event", "--userspace", "--channel=all", "tracekin:*")
    lttng("start")


def record(workload, folder):
    """Traces the part of the workload that is to be traced. Returns the exported spans by id."""
    exported = folder / "spans.json"
    with subprocess.Popen([workload, exported], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as program:

        def wait_for(what):
            line = program.stdout.readline()
            assert line == what + "\n", line

        def go_on():
            program.stdin.write("\n")
            program.stdin.flush()

        wait_for("ready")
        start_tracing(folder)
        go_on()
        wait_for("done")
        lttng("destroy")
        go_on()
    assert program.returncode == 0
    return spans_in(exported)


def spans_in(exported):
    """Returns the spans in an exporter's file, by id."""
    spans = map(json.loads, exported.read_text().splitlines())
    return {int(span["id"], 16): span for span in spans}


def without_callstack(folder):
    """Returns a file with the analysis inside the element <callstack>, which 6.2 does not know."""
    document = xml.etree.ElementTree.parse(SHARE / "tracekin-callstack.xml")
    root = document.getroot()
    (callstack,) = root
    root[:] = callstack.findall("stateProvider")
    document.write(folder / "stacks.xml")
    return folder / "stacks.xml"


class Truth:
    """The content of a trace, computed from its events in the simplest way."""

    def __init__(self, folder):
        self.events = [(message.default_clock_snapshot.ns_from_origin, message.event)
                       for message in bt2.TraceCollectionMessageIterator(str(folder))
                       if type(message) is bt2._EventMessageConst]
        self.begin, self.end = self.events[0][0], self.events[-1][0]
        self.finishes = []
        self.spans = collections.defaultdict(list)  # id: (time, state) at each change
        self.threads = collections.defaultdict(list)  # tid: (time, name of the innermost span)
        self.depths = collections.defaultdict(list)  # tid: (time, number of scopes)
        self.open = collections.defaultdict(list)  # name: (time, number)
        self.names, self.parents = {}, {}
        self.entered = collections.defaultdict(list)  # tid: ids, the innermost last
        self.worked, self.finished, self.started = set(), set(), {}
        for time, event in self.events:
            if event.name == "tracekin:exporter_stats":
                continue
            getattr(self, event.name.removeprefix("tracekin:"))(time, event, int(event["span_id"]))

    def span_start(self, time, event, span):
        self.started[span] = self.names[span] = str(event["op_name"])
        self.parents[span] = int(event["parent_span_id"])
        self.spans[span].append((time, OPEN))
        self.count(time, self.started[span], 1)

    def span_finish(self, time, event, span):
        self.not_before_the_trace(span)
        self.finishes.append(event)
        self.finished.add(span)
        self.names.setdefault(span, str(event["op_name"]))
        self.parents[span] = int(event["parent_span_id"])
        self.spans[span].append((time, None))
        if span in self.started:
            self.count(time, self.started[span], -1)

    def scope_enter(self, time, event, span):
        self.not_before_the_trace(span)
        self.entered[int(event["tid"])].append(span)
        self.worked.add(span)
        self.scope(time, event, span)

    def scope_exit(self, time, event, span):
        entered = self.entered[int(event["tid"])]
        if span in entered:
            del entered[len(entered) - 1 - entered[::-1].index(span)]
            self.scope(time, event, span)

    def not_before_the_trace(self, span):
        if span not in self.spans:
            self.spans[span].append((self.begin, OPEN))

    def scope(self, time, event, span):
        thread = int(event["tid"])
        innermost = self.entered[thread][-1:]
        self.threads[thread].append(
            (time, self.names.get(innermost[0], UNKNOWN) if innermost else None))
        self.depths[thread].append((time, len(self.entered[thread]) or None))
        if span not in self.finished:
            inside = any(span in entered for entered in self.entered.values())
            self.spans[span].append((time, WORKING if inside else WAITING))

    def count(self, time, name, change):
        for key in ("(all)", name):
            last = self.open[key][-1][1] if self.open[key] else 0
            self.open[key].append((time, last + change))

    def intervals(self, changes):
        """Returns the states between changes, merged where they are equal, with first and last
        nanosecond."""
        merged = []
        for time, value in changes:
            if not merged or merged[-1][1] != value:
                merged.append((time, value))
        ends = [time - 1 for time, _ in merged[1:]] + [self.end]
        return [(begin, end, value) for (begin, value), end in zip(merged, ends)
                if value is not None and begin <= end]


class Views(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            exported = record(WORKLOAD, folder)
            cls.read(folder / "lttng", exported)

    @classmethod
    def read(cls, folder, exported):
        cls.exported = exported
        cls.truth = Truth(folder)
        traces = trace_compass.traces(folder)
        cls.found = trace_compass.run("analyse", XML, *traces)
        with tempfile.TemporaryDirectory() as temporary:
            stacks = without_callstack(pathlib.Path(temporary))
            cls.stacks = trace_compass.run("analyse", stacks, *traces)
        cls.states = collections.defaultdict(list)
        for path, begin, end, value in cls.found["state"]:
            cls.states[tuple(path)].append((begin, end, value))

    def states_below(self, folder):
        return {path[1]: sorted(states) for path, states in self.states.items()
                if len(path) == 2 and path[0] == folder}

    def segments(self):
        """Yields operation, start and length in ns, and fields of each segment."""
        for name, start, length, content in self.found["segment"]:
            fields = dict(field.split("=", 1) for field in content.split(", "))
            yield name, start, length, fields

    def test_the_file_is_valid(self):
        self.assertEqual(trace_compass.run("validate", XML)["valid"], [[XML.name, "OK"]])

    def test_a_broken_file_is_not(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as broken:
            broken.write(XML.read_text().replace("<stateAttribute", "<attribute", 1))
            broken.flush()
            self.assertEqual(len(trace_compass.run("validate", broken.name, status=1)["invalid"]),
                             1)

    def test_the_workload_does_what_the_views_are_to_show(self):
        truth = self.truth
        names = collections.Counter(truth.names.values())
        self.assertEqual(names["before ä"], 1)
        self.assertEqual(len(truth.spans.keys() - truth.started.keys()), 3)
        self.assertEqual([truth.names[span] for span in truth.spans.keys() - truth.finished],
                         ["still open"])
        self.assertEqual(len(truth.threads), 5)

    def row_of(self, span):
        """Returns the span's row and when the span occupies it. A finished span has row 0."""
        begin, end, row = self.states["Spans", str(span)][0]
        if row == 0:  # the trace contains only the end of this span
            end, (row,) = begin - 1, [
                path[1] for path, ((_, _, name), *_) in self.states.items()
                if path[0] == "Rows" and path[-1] == "name" and name == self.truth.names[span]]
        return begin if span in self.truth.started else self.truth.begin, end, str(row)

    def test_states_of_spans(self):
        for span, changes in self.truth.spans.items():
            begin, end, row = self.row_of(span)
            states = [(max(begin, state[0]), min(end, state[1]), state[2])
                      for state in sorted(self.states["Rows", row])
                      if state[0] <= end and state[1] >= begin]
            self.assertEqual(states, self.truth.intervals(changes), self.truth.names[span])

    def test_a_row_has_one_span_at_a_time_all_of_one_operation_and_below_one_row(self):
        had = collections.defaultdict(list)
        for span in self.truth.spans:
            begin, end, row = self.row_of(span)
            had[row].append((begin, end))
            names = {value for _, _, value in self.states["Rows", row, "name"]}
            self.assertEqual(names, {self.truth.names[span]})
            parent = self.truth.parents[span]
            expected = self.row_of(parent)[2] if span in self.truth.started and parent else "0"
            parents = {str(value) for _, _, value in self.states["Rows", row, "parent"]}
            self.assertEqual(parents, {expected})
        for times in had.values():
            times.sort()
            for before, after in zip(times, times[1:]):
                self.assertLess(before[1], after[0])
        self.assertLess(len(had), len(self.truth.spans))

    def test_threads_and_the_spans_they_work_for(self):
        expected = {str(tid): self.truth.intervals(changes)
                    for tid, changes in self.truth.threads.items()}
        self.assertEqual(self.states_below("Threads"), expected)

    def test_stacks_of_scopes(self):
        found = collections.defaultdict(list)
        for path, begin, end, value in self.stacks["state"]:
            if path[0] == "Threads" and path[2:] == ["CallStack"]:
                found[path[1]].append((begin, end, value))
        expected = {}
        for tid, changes in self.truth.depths.items():
            expected[str(tid)] = self.truth.intervals(changes)
        self.assertEqual(found, expected)

    def test_open_spans(self):
        expected = {name: self.truth.intervals(changes)
                    for name, changes in self.truth.open.items()}
        self.assertEqual(self.states_below("Open spans"), expected)

    def test_the_tree_of_rows(self):
        rows = {row: (parent, name) for view, row, parent, name, *_ in self.found["row"]
                if view == "tracekin.spans.tree"}
        found = sorted((name, rows[parent][1]) for parent, name in rows.values() if parent != -1)
        trace = next(name for parent, name in rows.values() if parent == -1)
        expected = {}
        for span in self.truth.spans:
            row, parent = self.row_of(span)[2], self.truth.parents[span]
            of_parent = parent in self.truth.spans and span in self.truth.started
            expected[row] = (self.truth.names[span],
                             self.truth.names[parent] if of_parent else trace)
        self.assertEqual(found, sorted(expected.values()))

    def test_segments_are_the_finished_spans_of_the_trace(self):
        expected = sorted((str(event["op_name"]), int(event["start_time"]), int(event["duration"]),
                           {
            "Service": str(event["service"]), "Kind": str(event["kind"]),
            "Error": str(int(event["error"])), "Span": str(int(event["span_id"])),
            "Parent": str(int(event["parent_span_id"])),
            "Trace": str(int(event["trace_id_low"])), "TID": str(int(event["tid"]))}
        ) for event in self.truth.finishes)
        self.assertEqual(sorted(self.segments()), expected)

    def test_segments_are_the_spans_that_were_exported(self):
        found = {int(fields["Span"]): (name, start // 1000, max(1, length // 1000))
                 for name, start, length, fields in self.segments()}
        expected = {span: (of["name"], of["timestamp"], of["duration"])
                    for span, of in self.exported.items() if of["name"] != "still open"}
        self.assertEqual(found, expected)


class ManySpans(unittest.TestCase):
    def test_rows_are_used_again(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            start_tracing(folder)
            subprocess.run([WORKLOAD, folder / "spans.json", "5000"], check=True)
            lttng("destroy")
            found = trace_compass.run("analyse", XML, *trace_compass.traces(folder / "lttng"))
        self.assertEqual(len(found["segment"]), 5000)
        rows = {row: (parent, name) for view, row, parent, name, *_ in found["row"]
                if view == "tracekin.spans.tree"}
        tree = sorted((rows[parent][1], name) for parent, name in rows.values() if parent in rows)
        requests = [f"request {number}" for number in range(7)]
        self.assertEqual(tree, sorted(
            [("64-bit", request) for request in requests] +
            [(request, call) for request in requests for call in ("query", "step")]))


if __name__ == "__main__":
    WORKLOAD = sys.argv.pop(1)
    trace_compass.install()
    unittest.main(verbosity=2)
