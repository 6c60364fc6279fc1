#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that were written for BlkKin, and compares the events and spans that they produce
with what they record.

usage: scripts/with-lttng tests/integrations/blkin/programs_test.py FOLDER events
       TRACEKIN_SCRIPTS=scripts tests/integrations/blkin/programs_test.py FOLDER zipkin
FOLDER holds the programs.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import zipkin_server

LIMIT_S = 60
END = {"ss", "cr", "end", "Span ended", "message destructed"}
KINDS = {"cs": "CLIENT", "cr": "CLIENT", "sr": "SERVER", "ss": "SERVER"}

# One record of a program: the span's label, its name, the endpoint (service, port, ip), the kind of
# the event, and its last fields.
Record = collections.namedtuple("Record", "label name endpoint kind what")


def records(names, *lines):
    return [Record(label, names[label], endpoint, kind, what) for label, endpoint, kind,
            *what in lines]


A = ("service a", 5000, "10.0.0.1")
NOWHERE = ("nowhere", 65535, "NaN")
SIXTH = ("sixth", 0, "2001:db8::1")
INNER = ("inner", 1, "10.0.0.2")
ORIGINAL_C = records(
    {"root": "process a", "child": "child", "other": "other", "message": "of a message",
     "set": "other",
     "inner": "NoName", "inner_child": "inner child"},
    ("root", A, "timestamp", "start"),
    ("root", A, "keyval", "key", "value"),
    ("child", A, "timestamp", "cs"),
    ("child", NOWHERE, "keyval", "käy", 'one "two"'),
    ("child", A, "timestamp", "cr"),
    ("other", NOWHERE, "timestamp", "Span ended"),
    ("message", SIXTH, "timestamp", "sr"),
    ("message", SIXTH, "timestamp", "ss"),
    ("set", NOWHERE, "timestamp", "end"),
    ("root", A, "timestamp", "end"),
    ("inner", INNER, "keyval", "a", ""),
    ("inner_child", INNER, "timestamp", "message destructed"),
    ("inner", INNER, "timestamp", "message destructed"))

PARENT, CHILD = ("parent", 5000, "10.0.0.1"), ("child", 2, "0.0.0.1")
ORIGINAL_CC = records(
    {"root": "parent process", "child": "child", "elsewhere": "elsewhere", "message": "message"},
    ("root", PARENT, "timestamp", "parent start"),
    ("root", PARENT, "keyval", "key", "value"),
    ("root", CHILD, "keyval", "key 2", "value 2"),
    ("child", CHILD, "timestamp", "start"),
    ("child", PARENT, "timestamp", "end"),
    ("elsewhere", CHILD, "timestamp", "end"),
    ("message", CHILD, "keyval", "k", "v"),
    ("message", CHILD, "timestamp", "Span ended"),
    ("root", PARENT, "timestamp", "end"))

OSD, OBJECTER = ("osd.1", 40000 - 65536, "10.0.0.1"), ("Objecter", 0, "0.0.0.0")
CEPH_C = records(
    {"root": "op", "child": "op msg", "message": "osd op", "adopted": ""},
    ("root", OBJECTER, "keyval_string", "object", "rbd_data.1"),
    ("root", OBJECTER, "keyval_integer", "tid", -2**63),
    ("root", OBJECTER, "timestamp", "init"),
    *[("child", OBJECTER, "timestamp", event) for event in ("cs", "ws", "csf")],
    *[("message", OSD, "timestamp", event) for event in ("wr", "srf", "sr")],
    ("message", OSD, "keyval_string", "entity type", "client"),
    ("message", OSD, "keyval_integer", "entity num", 4096),
    *[("message", OSD, "timestamp", event) for event in ("ssf", "ss")],
    *[("child", OBJECTER, "timestamp", event) for event in ("crf", "cr")],
    ("adopted", OSD, "timestamp", "message destructed"),
    ("root", OBJECTER, "timestamp", "Span ended"))

MESSENGER, PG = ("Messenger", 6800, "10.0.0.1"), ("PG 1.2", 6801, "10.0.0.9")
SHARED = ("shared", 6800, "10.0.0.1")
CEPH_CC = records(
    {"root": "op", "child": "op msg", "decoded": "osd_op", "adopted": "osd op", "osd_op": "pg op"},
    ("root", OBJECTER, "timestamp", "init"),
    ("root", OBJECTER, "keyval_string", "object", "rbd_data.1"),
    ("root", OBJECTER, "keyval_integer", "tid", 7),
    ("root", MESSENGER, "keyval_string", "type", "write"),
    ("root", MESSENGER, "keyval_integer", "size", -4096),
    ("root", MESSENGER, "timestamp", "op submit"),
    *[("child", OBJECTER, "timestamp", event) for event in ("cs", "ws", "csf", "crf", "cr")],
    *[("decoded", MESSENGER, "timestamp", event) for event in ("wr", "srf", "sr", "ssf", "ss")],
    ("adopted", PG, "timestamp", "message destructed"),
    *[("osd_op", SHARED, "timestamp", event) for event in ("start", "end")],
    ("root", OBJECTER, "timestamp", "end"))

PROGRAMS = {"blkin_original_c": ORIGINAL_C, "blkin_original_cc": ORIGINAL_CC,
            "blkin_ceph_c": CEPH_C, "blkin_ceph_cc": CEPH_CC}


def run(program, *arguments, **environment):
    """Runs the program and returns the ids that it prints for each span, by label: trace, span,
    parent."""
    ended = subprocess.run([os.path.join(FOLDER, program), *arguments], stdout=subprocess.PIPE,
                           text=True,
                           timeout=LIMIT_S, check=True, env=dict(os.environ, **environment))
    return {line.split()[0]: tuple(map(int, line.split()[1:]))
            for line in ended.stdout.splitlines()}


def hexadecimal(number):
    return f"{number % 2**64:016x}"


def endpoint_in_zipkin(endpoint):
    service, port, ip = endpoint
    found = {"serviceName": service.lower()}
    if ip != "NaN":
        found["ipv6" if ":" in ip else "ipv4"] = ip
    if port != 0:
        found["port"] = port % 2**16
    return found


def expected_spans(recorded, ids):
    """Returns the spans for the records, without their times: one for each part that is
    reported."""
    spans, ended, parts = {}, set(), collections.Counter()
    for record in recorded:
        trace, span, parent = ids[record.label]
        key = (trace, span)
        part = (key, parts[key])
        if part not in spans:
            spans[part] = {"traceId": hexadecimal(trace), "id": hexadecimal(span),
                           "name": record.name.lower(),
                           "localEndpoint": endpoint_in_zipkin(record.endpoint), "annotations": [],
                           "tags": {},
                           "late": key in ended}
            if parent != 0:
                spans[part]["parentId"] = hexadecimal(parent)
        if record.kind != "timestamp":
            spans[part]["tags"][record.what[0]] = str(record.what[1])
            continue
        event = record.what[0]
        spans[part]["annotations"].append(event)
        if event in KINDS:
            spans[part].setdefault("kind", KINDS[event])
        if event in END:
            ended.add(key)
            parts[key] += 1
    # Later parts have the kind that the first part determined.
    for (key, _), span in spans.items():
        if "kind" in spans[(key, 0)]:
            span["kind"] = spans[(key, 0)]["kind"]
    return sorted(spans.values(), key=lambda span: (span["traceId"], span["id"], span["late"]))


def as_expected(span):
    """Converts a span from an exporter's file or a server's answer to the form of
    expected_spans()."""
    span = json.loads(json.dumps(span))
    span["late"] = "timestamp" not in span and "duration" not in span
    span.pop("timestamp", None)
    span.pop("duration", None)
    span["annotations"] = [annotation["value"] for annotation in span.get("annotations", [])]
    span["name"] = span.get("name", "").lower()
    span["localEndpoint"]["serviceName"] = span["localEndpoint"]["serviceName"].lower()
    span.setdefault("tags", {})
    return span


class Test(unittest.TestCase):
    maxDiff = None

    def check_times(self, spans, begin_s, end_s):
        for span in spans:
            times = [annotation["timestamp"] for annotation in span.get("annotations", [])]
            self.assertEqual(times, sorted(times))
            for moment in times:
                self.assertTrue(begin_s * 1e6 - 1 <= moment <= end_s * 1e6, span)
            if "timestamp" not in span:
                continue
            named = {annotation["value"]: annotation["timestamp"]
                     for annotation in span["annotations"]}
            start = named.get("cs", named.get("sr", times[0]))
            self.assertEqual(span["timestamp"], start)
            self.assertLessEqual(abs(span["duration"] - (times[-1] - start)), 1)

    def check_spans(self, spans, recorded, ids, ordered=True):
        """Compares spans with records. If `ordered`, annotations must be in the order of
        recording."""
        expected = expected_spans(recorded, ids)
        found = sorted(map(as_expected, spans),
                       key=lambda span: (span["traceId"], span["id"], span["late"]))
        if not ordered:
            for span in expected + found:
                span["annotations"].sort()
        self.assertEqual(found, expected)

    def check_ping_pong(self, spans, iterations):
        traces = collections.defaultdict(list)
        for span in spans:
            traces[span["traceId"]].append(span)
        self.assertEqual(len(traces), iterations)
        for trace in traces.values():
            child, root = sorted(trace, key=lambda span: "parentId" not in span)
            self.assertEqual(child["parentId"], root["id"])
            self.assertNotIn("parentId", root)
            self.assertEqual(root["localEndpoint"],
                             {"serviceName": "service a", "ipv4": "10.0.0.1", "port": 5000})
            self.assertEqual(child["localEndpoint"],
                             {"serviceName": "service b", "ipv4": "10.0.0.2", "port": 5001})
            for span in trace:
                self.assertEqual(sorted(annotation["value"] for annotation in span["annotations"]),
                                 ["end", "start"])
            self.assertLessEqual(root["timestamp"], child["timestamp"])
            self.assertGreaterEqual(root["duration"] + 1, child["duration"])


def lttng(*arguments):
    subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.DEVNULL)


class Events(Test):
    """Runs the programs with a session of a real session daemon. The spans go to a file."""

    FIELDS = [("trace_name", str), ("service_name", str), ("port_no", 32), ("ip", str),
              ("trace_id", 64),
              ("span_id", 64), ("parent_span_id", 64)]
    LAST = {"timestamp": [("event", str)], "keyval": [("key", str), ("val", str)],
            "keyval_string": [("key", str), ("val", str)],
            "keyval_integer": [("key", str), ("val", 64)]}

    def record(self, program, *arguments):
        """Runs a program and returns its ids, events and spans."""
        with tempfile.TemporaryDirectory() as folder:
            lttng("create", "blkin", "--output", folder + "/trace")
            lttng("enable-event", "--userspace", "zipkin:*")
            lttng("add-context", "--userspace", "--type=vpid")
            lttng("start")
            self.begin = time.time()
            try:
                ids = run(program, *arguments, TRACEKIN_EXPORTER_PATH=folder + "/spans")
            finally:
                self.end = time.time()
                lttng("destroy", "blkin")
            events = [message for message in bt2.TraceCollectionMessageIterator(folder + "/trace")
                      if type(message) is bt2._EventMessageConst]
            with open(folder + "/spans", encoding="utf-8") as file:
                spans = [json.loads(line) for line in file]
        return ids, events, spans

    @staticmethod
    def fields(event):
        # babeltrace2 2.0 shows the text of an earlier event instead of an empty string.
        return [str(value)[:len(value)] if isinstance(value, bt2._StringFieldConst) else int(value)
                for value in event.payload_field.values()]

    def check_class(self, event):
        kind = event.name.removeprefix("zipkin:")
        found = []
        for name, member in event.cls.payload_field_class.items():
            field = member.field_class
            if isinstance(field, bt2._StringFieldClassConst):
                found.append((name, str))
            else:
                self.assertIsInstance(field, bt2._SignedIntegerFieldClassConst)
                found.append((name, field.field_value_range))
        self.assertEqual(found, self.FIELDS + self.LAST[kind])
        self.assertEqual(event.cls.log_level, bt2.EventClassLogLevel.WARNING)

    def test_programs(self):
        for program, recorded in PROGRAMS.items():
            with self.subTest(program):
                ids, messages, spans = self.record(program)
                found = []
                for message in messages:
                    self.check_class(message.event)
                    found.append([message.event.name, *self.fields(message.event)])
                expected = []
                for record in recorded:
                    service, port, ip = record.endpoint
                    expected.append(["zipkin:" + record.kind, record.name, service, port, ip,
                                     *ids[record.label],
                                     *record.what])
                self.assertEqual(found, expected)
                self.check_spans(spans, recorded, ids)
                self.check_times(spans, self.begin, self.end)
                self.check_same_times(messages, spans)

    def check_same_times(self, messages, spans):
        """Checks that each event and its annotation have the same time, within 0.1 s on a busy
        machine."""
        events = collections.defaultdict(list)
        for message in messages:
            if message.event.name == "zipkin:timestamp":
                key = hexadecimal(int(message.event["span_id"]))
                events[key].append(message.default_clock_snapshot.ns_from_origin // 1000)
        annotations = collections.defaultdict(list)
        for span in spans:
            annotations[span["id"]] += [annotation["timestamp"]
                                        for annotation in span.get("annotations", [])]
        self.assertEqual(events.keys(), annotations.keys())
        for key, moments in events.items():
            self.assertEqual(len(moments), len(annotations[key]))
            for event, annotation in zip(moments, sorted(annotations[key])):
                self.assertLess(abs(event - annotation), 100_000)

    def test_the_ping_pong(self):
        _, messages, spans = self.record("blkin_ping_pong", "25")
        self.check_ping_pong(spans, 25)
        traces = collections.defaultdict(list)
        for message in messages:
            event = message.event
            traces[int(event["trace_id"])].append(
                (str(event["service_name"]), str(event["event"]), int(event["vpid"])))
        self.assertEqual(len(traces), 25)
        self.assertEqual(len({event[2] for events in traces.values() for event in events}), 2)
        for events in traces.values():
            self.assertEqual([event[:2] for event in events],
                             [("service a", "start"), ("service b", "start"), ("service b", "end"),
                              ("service a", "end")])

    def test_roots_that_rate_leaves_out_make_neither_events_nor_spans(self):
        os.environ["RATE"] = "4"
        try:
            _, messages, spans = self.record("blkin_ping_pong", "25")
        finally:
            del os.environ["RATE"]
        self.check_ping_pong(spans, 5)
        self.assertEqual(len(messages), 20)


class Spans(Test):
    """Runs the programs with a real Zipkin server."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(zipkin_server.Zipkin())
        cls.server.up()

    def run_to_zipkin(self, program, *arguments):
        return run(program, *arguments,
                   TRACEKIN_EXPORTER_ENDPOINT=self.server.url + "/api/v2/spans")

    def stored(self, trace_id, count):
        """Waits until a trace has `count` spans and returns them."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                with urllib.request.urlopen(f"{self.server.url}/api/v2/trace/{trace_id}") as answer:
                    spans = json.load(answer)
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 404)
                spans = []
            if len(spans) >= count or time.monotonic() >= deadline:
                return spans
            time.sleep(0.05)

    def test_programs(self):
        for program, recorded in PROGRAMS.items():
            with self.subTest(program):
                begin = time.time()
                ids = self.run_to_zipkin(program)
                counts = collections.Counter(span["traceId"]
                                             for span in expected_spans(recorded, ids))
                spans = [span for trace_id,
                         count in counts.items() for span in self.stored(trace_id, count)]
                # The server sorts annotations with the same microsecond by their text.
                self.check_spans(spans, recorded, ids, ordered=False)
                self.check_times(spans, begin, time.time())

    def test_spans_of_opentracing_and_of_blkin_are_one_trace(self):
        ids = self.run_to_zipkin("blkin_mixed")
        spans = self.stored(hexadecimal(ids["op"][0]), 4)
        self.assertEqual(len(spans), 4)
        by_name = {span["name"]: span for span in spans}
        chain = ["request", "osd op", "check", "journal"]
        self.assertNotIn("parentId", by_name[chain[0]])
        for parent, child in zip(chain, chain[1:]):
            self.assertEqual(by_name[child]["parentId"], by_name[parent]["id"])
        self.assertEqual([by_name[name]["localEndpoint"]["serviceName"] for name in chain],
                         ["gateway", "osd.1", "gateway", "osd.1"])
        for label, name in (("op", "osd op"), ("journal", "journal")):
            self.assertEqual(by_name[name]["id"], hexadecimal(ids[label][1]))

    def test_the_ping_pong(self):
        self.run_to_zipkin("blkin_ping_pong", "30")
        deadline = time.monotonic() + LIMIT_S
        while True:
            url = self.server.url + "/api/v2/traces?serviceName=service%20b&limit=1000"
            with urllib.request.urlopen(url) as answer:
                spans = [span for trace in json.load(answer) for span in trace]
            if len(spans) >= 60 or time.monotonic() >= deadline:
                break
            time.sleep(0.05)
        self.check_ping_pong(spans, 30)


if __name__ == "__main__":
    FOLDER, what = sys.argv[1:3]
    if what == "events":
        try:
            import bt2
        except ImportError:
            print("SKIPPED: the Python module bt2 is not installed (python3-bt2)")
            sys.exit(77)
        del Spans
    else:
        reason = zipkin_server.reason_to_skip()
        if reason:
            print("SKIPPED:", reason)
            sys.exit(77)
        del Events
    unittest.main(argv=sys.argv[:1], verbosity=2)
