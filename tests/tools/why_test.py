#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the subcommands for recordings on a recording of real programs without kernel events.

usage: scripts/with-lttng tests/tools/why_test.py PATH-OF-tracekin PATH-OF-ust_spans
"""

import fcntl
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

LIMIT_S = 60


class Why(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tracekin-why-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.trace = cls.folder + "/tracekin-here"
        # Makes 15 spans: five in each of two tracers and in the child of a fork.
        subprocess.run([TRACEKIN, "record", "-o", cls.trace, "--", SPANS, cls.folder], check=True,
                       stderr=subprocess.PIPE, timeout=LIMIT_S)

    def ask(self, *words, status=0):
        done = subprocess.run([TRACEKIN, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
        self.assertEqual(done.returncode, status, done.stderr)
        self.said = done.stderr
        return done.stdout

    def spans(self, *words):
        return [json.loads(line) for line in self.ask("why", *words, "--json").splitlines()]

    def test_every_span_is_there_and_its_parts_add_up(self):
        spans = self.spans(self.trace, "--all")
        self.assertEqual(len(spans), 15)
        for span in spans:
            self.assertEqual(sum(part["ns"] for part in span["parts"]), span["duration_ns"])
            self.assertLessEqual({part["cause"] for part in span["parts"]}, {"unknown"})
            self.assertLessEqual({part["reason"] for part in span["parts"]}, {"no kernel trace"})
        self.assertIn("the kernel was not recorded", self.said)

    def test_ids_parents_and_services_are_those_of_the_exported_spans(self):
        exported = {}
        for path in pathlib.Path(self.folder).glob("*.json"):
            for line in path.read_text(encoding="utf-8").splitlines():
                span = json.loads(line)
                exported[span["traceId"], span["id"]] = span
        self.assertTrue(exported)
        told = {(span["trace_id"], span["span_id"]): span for span in self.spans("--all")}
        self.assertLessEqual(set(exported), set(told))
        for ids, span in exported.items():
            self.assertEqual(told[ids]["parent_span_id"], span.get("parentId"))
            self.assertEqual(told[ids]["service"], span["localEndpoint"]["serviceName"])

    def test_the_newest_recording_here_is_meant_if_none_is_named(self):
        self.assertEqual(self.spans("--all"), self.spans(self.trace, "--all"))

    def test_the_beginning_of_an_id_is_enough(self):
        span = self.spans("--all")[3]
        for words in ([span["span_id"]], [self.trace, span["span_id"][:12]]):
            self.assertEqual(self.spans(*words), [span])

    def test_a_trace_is_told_of_by_its_root(self):
        roots = [span for span in self.spans("--all") if span["parent_span_id"] is None]
        self.assertEqual(self.spans(roots[0]["trace_id"]), [roots[0]])

    def test_the_slowest_come_first(self):
        durations = [span["duration_ns"] for span in self.spans("--all")]
        slowest = [span["duration_ns"] for span in self.spans("--slowest", "4")]
        self.assertEqual(slowest, sorted(durations, reverse=True)[:4])

    def test_errors_and_tags_filter(self):
        for filter in (["--errors"], ["--tag", "number=-42"], ["--service", "Größe"]):
            found = self.ask("ls", "--json", *filter).splitlines()
            self.assertTrue(0 < len(found) <= 15, filter)
        self.assertIn('"number":"-42"', self.ask("ls", "--json", "--tag", "number=-42"))
        for line in self.ask("ls", "--json", "--errors").splitlines():
            self.assertTrue(json.loads(line)["error"])

    def test_text_has_a_line_for_each(self):
        traces = {span["trace_id"] for span in self.spans("--all")}
        self.assertEqual({line.split()[0] for line in self.ask("ls").splitlines()[1:]}, traces)
        self.assertIn("unknown: no kernel trace", self.ask("why"))
        self.assertIn("span, threads", self.ask("show"))
        operations = {span["operation"] for span in self.spans("--all")}
        self.assertEqual(len(self.ask("top").splitlines()), 1 + len(operations))
        self.assertEqual(len(self.ask("compare", self.trace, self.trace).splitlines()),
                         1 + len(operations))

    def test_several_folders_are_one_recording(self):
        other = self.folder + "/copy"
        shutil.copytree(self.trace, other)
        self.addCleanup(shutil.rmtree, other)
        self.assertEqual(self.spans(self.trace, other, "--all"), self.spans("--all"))

    def at_a_terminal(self, *words, **environment):
        """What the program writes to a terminal of 80 columns."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        with subprocess.Popen([TRACEKIN, *words, self.trace], stdout=theirs,
                              stderr=subprocess.DEVNULL,
                              env={**os.environ, "TERM": "xterm", **environment}) as process:
            os.close(theirs)
            said = b""
            try:
                while some := os.read(ours, 1 << 16):
                    said += some
            except OSError:  # the terminal has no writer any more
                pass
            self.assertEqual(process.wait(LIMIT_S), 0)
        os.close(ours)
        return said.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_colours_and_lines_of_its_width(self):
        self.assertIn("\x1b[", self.at_a_terminal("show"))
        for plain in (self.at_a_terminal("show", "--no-color"),
                      self.at_a_terminal("show", NO_COLOR="1")):
            self.assertNotIn("\x1b", plain)
            rows = [line for line in plain.splitlines() if "█" in line]
            self.assertEqual(max(len(line) for line in rows), 80)
        self.assertNotIn("\x1b", self.ask("show"))

    def test_the_status_tells_whether_something_was_found(self):
        self.assertEqual(self.ask("why", "--service", "none", status=1), "")
        self.assertEqual(self.ask("why", "fffffffffffffffe", status=1), "")
        self.assertIn("no trace and no span", self.said)
        for words in (["why", "./nowhere"], ["why", "--tag", "x"], ["why", "--since", "noon"],
                      ["ls", "nowhere"], ["top", self.trace, "nowhere"], ["why", ""],
                      ["top", "--by", "nothing"]):
            self.assertEqual(self.ask(*words, status=2), "", words)
            self.assertNotEqual(self.said, "", words)


if __name__ == "__main__":
    TRACEKIN, SPANS = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
