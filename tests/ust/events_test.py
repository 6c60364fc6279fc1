#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records the provider's events with a real session daemon and reads them back.

usage: scripts/with-lttng tests/ust/events_test.py PATH-OF-ust_emit
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import bt2
except ImportError:
    print("SKIPPED: the Python module bt2 is not installed (python3-bt2)")
    sys.exit(77)

EMIT = None
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "ust-events.md"
PRELOAD = "liblttng-ust-fork.so.1"
LIMIT_S = 60  # a deadlock in fork() is ended after this time, with SIGKILL


def lttng(*arguments):
    subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.DEVNULL)


class Session:
    """An LTTng session that records all of tracekin's events while the `with` block runs."""

    def __init__(self, *rule, events="tracekin:*"):
        self.rule = (events, *rule)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.name = "tracekin-" + os.path.basename(self.folder.name)
        lttng("create", self.name, "--output", self.folder.name)
        lttng("enable-event", "--userspace", *self.rule, "--session", self.name)
        lttng("add-context", "--userspace", "--type=vpid", "--type=vtid", "--session", self.name)
        lttng("start", self.name)
        return self

    def __exit__(self, *_):
        lttng("destroy", self.name)
        self.events = [
            message.event
            for message in bt2.TraceCollectionMessageIterator(self.folder.name)
            if type(message) is bt2._EventMessageConst
        ]
        self.folder.cleanup()

    def lines(self):
        """Returns the lines that ust_emit prints for these events."""
        return sorted(
            f"{event.name.split(':')[1]} {event['vpid']} {event['vtid']} {event['span_id']}"
            for event in self.events
        )


def emit(what, preload=""):
    environment = dict(os.environ, LD_PRELOAD=preload)
    ended = subprocess.run([EMIT, what], env=environment, stdout=subprocess.PIPE, text=True,
                           timeout=LIMIT_S, check=True)
    return sorted(ended.stdout.splitlines())


def documented():
    """Returns the events of docs/ust-events.md by name: log level, and fields with their types."""
    events, types, current, common = {}, {}, [], []
    for line in DOCUMENT.read_text().splitlines():
        if line.startswith("#"):
            current = re.findall(r"`(\w+)` \(([A-Z]+)\)", line)
            for name, level in current:
                events[name] = (level, [])
            if current and "tid" not in dict(common):
                common = list(types.items())
        elif line.startswith("| `"):
            names, of_type, _ = [cell.strip() for cell in line.strip("|").split("|", 2)]
            for field in re.findall(r"`(\w+)`", names):
                if of_type:
                    types[field] = of_type
                for name, _ in current:
                    events[name][1].append((field, types[field]))
    ids, tid = common[:-1], common[-1:]
    return {name: (level, ([] if name == "exporter_stats" else ids) + fields + tid)
            for name, (level, fields) in events.items()}


def type_in_words(field_class):
    if isinstance(field_class, bt2._StringFieldClassConst):
        return "string"
    signed = isinstance(field_class, bt2._SignedIntegerFieldClassConst)
    words = f"{'signed' if signed else 'unsigned'} {field_class.field_value_range} bit"
    hexadecimal = field_class.preferred_display_base == bt2.IntegerDisplayBase.HEXADECIMAL
    return words + (", shown in hex" if hexadecimal else "")


class Events(unittest.TestCase):
    maxDiff = None
    IDS = {
        "trace_id_high": 0xFEDCBA9876543210,
        "trace_id_low": 0xFFFFFFFFFFFFFFFF,
        "span_id": 0x0102030405060708,
    }
    LEVELS = {bt2.EventClassLogLevel.DEBUG: "DEBUG", bt2.EventClassLogLevel.INFO: "INFO",
              bt2.EventClassLogLevel.WARNING: "WARNING", bt2.EventClassLogLevel.ERROR: "ERR"}
    STATS = ["started", "adopted", "open", "unsampled", "queued", "in_flight", "spooled",
             "exported",
             *("dropped_" + reason for reason in
               ("queue_full", "too_large", "rejected", "expired", "spool_full", "spool_corrupt",
                "closed",
                "fork"))]
    LOGS = ["span_log", "span_log_info", "span_log_warning", "span_log_error"]

    def record_fields(self):
        with Session() as session:
            emit("fields")
        return session.events

    def test_each_event_carries_the_documented_fields(self):
        events = self.record_fields()
        span = dict(self.IDS, parent_span_id=0x8000000000000000, service="frontend",
                    start_time=1790000000123456789)
        tags = {'a "quoted" key': "line\nbreak", "umlaut": "ää", "long": "x" * 60000}
        expected = [
            ("span_start", dict(span, op_name="GET /ä", kind="server")),
            ("scope_enter", self.IDS),
            *[(log, dict(self.IDS, message="event=cache miss")) for log in self.LOGS],
            ("scope_exit", self.IDS),
            ("span_finish", dict(span, op_name="GET", kind="local", duration=987654321, sampled=1,
                                 error=1, tags=tags)),
            ("exporter_stats", dict({name: place for place, name in enumerate(self.STATS, 1)},
                                    service="frontend")),
        ]
        found = []
        for event in events:
            fields = {str(name): value for name, value in event.payload_field.items()}
            self.assertEqual(fields.pop("tid"), event["vtid"])
            if "tags" in fields:
                fields["tags"] = json.loads(str(fields["tags"]))
            found.append((event.name.removeprefix("tracekin:"), fields))
        self.assertEqual(found, expected)

    def test_the_document_says_what_is_in_the_trace(self):
        recorded = {}
        for event in self.record_fields():
            fields = [(str(name), type_in_words(member.field_class))
                      for name, member in event.cls.payload_field_class.items()]
            level = self.LEVELS[event.cls.log_level]
            recorded[event.name.removeprefix("tracekin:")] = (level, fields)
        self.assertEqual(recorded, documented())

    def test_a_session_can_leave_out_the_debug_events(self):
        with Session("--loglevel=INFO") as session:
            emit("fields")
        self.assertEqual([event.name for event in session.events],
                         ["tracekin:span_start", "tracekin:span_log_info",
                          "tracekin:span_log_warning",
                          "tracekin:span_log_error", "tracekin:span_finish",
                          "tracekin:exporter_stats"])

    def test_a_session_can_have_logs_from_a_severity_on(self):
        with Session("--loglevel=WARNING", events="tracekin:span_log*") as session:
            emit("fields")
        self.assertEqual([event.name for event in session.events],
                         ["tracekin:span_log_warning", "tracekin:span_log_error"])

    def test_jaegers_events_have_the_fields_of_its_client(self):
        with Session(events="jaeger_ust:*") as session:
            emit("fields")
        found = [(event.name, [(str(name), type_in_words(member.field_class))
                               for name, member in event.cls.payload_field_class.items()])
                 for event in session.events]
        unsigned, signed = "unsigned 64 bit", "signed 64 bit"
        ids = [("trace_id_high", unsigned), ("trace_id_low", unsigned), ("span_id", unsigned)]
        self.assertEqual(found, [
            ("jaeger_ust:start_span", [*ids, ("parent_span_id", unsigned), ("op_name", "string"),
                                       ("start_time", signed)]),
            ("jaeger_ust:end_span", [*ids, ("duration", signed)])])
        for key, value in self.IDS.items():
            self.assertEqual(session.events[1][key], value)

    def test_each_thread_has_its_own_tid(self):
        with Session() as session:
            emitted = emit("threads")
        self.assertEqual(len(emitted), 100)
        self.assertEqual(session.lines(), emitted)
        self.assertEqual(len({event["tid"] for event in session.events}), 4)

    def test_a_session_may_come_and_go_while_the_program_runs(self):
        with subprocess.Popen([EMIT, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as program:
            self.assertEqual(program.stdout.readline(), "dormant\n")
            with Session() as session:
                print(file=program.stdin, flush=True)
                emitted = [program.stdout.readline().strip()]
                self.assertEqual(program.stdout.readline(), "emitted\n")
            self.assertEqual(program.stdout.readline(), "dormant\n")
        self.assertEqual(program.returncode, 0)
        self.assertEqual(session.lines(), emitted)


class Fork(unittest.TestCase):
    def check(self, what, preload, processes):
        if preload and os.environ.get("TRACEKIN_SANITIZE"):
            self.skipTest("the sanitizer's library must come before all others")
        with Session() as session:
            emitted = emit(what, preload)
        self.assertEqual(session.lines(), emitted)
        self.assertEqual(len({event["vpid"] for event in session.events}), processes)
        for event in session.events:
            self.assertEqual(event["tid"], event["vtid"])

    def test_a_child_is_traced_as_itself(self):
        self.check("fork", "", 3)

    def test_a_child_is_traced_as_itself_with_the_preload(self):
        self.check("fork", PRELOAD, 3)

    def test_a_daemon_with_the_preload_for_descriptors_is_traced(self):
        self.check("daemon", "liblttng-ust-fd.so.1", 2)  # the daemon and its child

    def test_forks_of_several_threads(self):
        self.check("forks", "", 21)

    def test_forks_of_several_threads_with_the_preload(self):
        self.check("forks", PRELOAD, 21)


if __name__ == "__main__":
    EMIT = sys.argv.pop(1)
    unittest.main(verbosity=2)
