#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that `tracekin why` finds the causes of the workload's operations on a real kernel.

usage: why_test.py PATH-OF-tracekin RECORDING   RECORDING is a folder that `record` made
"""

import collections
import json
import os
import subprocess
import sys
import unittest

# Causes that the machine adds to every operation.
MACHINE = {"running", "interrupted", "preempted", "ready"}
# Operation -> causes that make up most of the rest of its time together.
CAUSES = {
    "sleep": {"timer"},
    "lock": {"lock", "thread"},
    "disk": {"disk"},
    "call": {"network"},
    "pool": {"lock"},
    "fork": {"child"},
    "preempted": {"preempted", "running", "thread"},
    "hold lock": {"running"},
    "serve": {"running", "interrupted"},
    "task": {"running", "preempted", "ready"},
    "child": {"running"},
}
# Operation -> the cause of its longest wait, and the operation of the span that it waited for.
BY_SPAN = {"lock": ("lock", "hold lock"), "call": ("network", "serve")}


def cut(parts):
    """Returns the parts whose length is not the sum of the parts that explain them."""
    wrong = []
    for part in parts:
        if "parts" in part:
            if sum(below["ns"] for below in part["parts"]) != part["ns"]:
                wrong.append(part)
            wrong += cut(part["parts"])
    return wrong


def ask(subcommand, folder, *words):
    """Returns the spans that a subcommand prints."""
    told = subprocess.run([TRACEKIN, subcommand, os.path.join(RECORDING, folder), "--json", *words],
                          check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    return [json.loads(line) for line in told.splitlines()]


def sums(parts):
    """Returns cause -> ns."""
    causes = collections.Counter()
    for part in parts:
        causes[part["cause"]] += part["ns"]
    return causes


def locks(parts):
    """Returns the length of the longest chain of locks."""
    return max((1 + locks(part.get("parts", [])) for part in parts
                if part["cause"] == "lock" and part["ns"] > 5_000_000), default=0)


class Workload(unittest.TestCase):
    """Tests operations that occur repeatedly."""

    @classmethod
    def setUpClass(cls):
        cls.spans = ask("why", "plain", "--all") + ask("why", "pid_namespace", "--all")

    def test_every_operation_is_there(self):
        self.assertLessEqual(set(CAUSES), {span["operation"] for span in self.spans})

    def test_parts_add_up_at_every_depth(self):
        for span in self.spans:
            self.assertEqual(sum(part["ns"] for part in span["parts"]), span["duration_ns"], span)
            self.assertEqual(cut(span["parts"]), [])

    def test_the_causes_are_those_of_the_operation(self):
        totals = collections.defaultdict(collections.Counter)
        for span in self.spans:
            totals[span["operation"]] += sums(span["parts"])
        for operation, causes in CAUSES.items():
            with self.subTest(operation):
                total = totals[operation].total()
                machine = sum(totals[operation][cause] for cause in MACHINE - causes)
                expected = sum(totals[operation][cause] for cause in causes)
                print(f"{operation}: {dict(totals[operation])}")
                self.assertGreater(expected, 0.9 * (total - machine))
                self.assertGreater(expected, 0.2 * total)

    def test_hardly_anything_is_unknown(self):
        causes = sum((sums(span["parts"]) for span in self.spans), collections.Counter())
        share = causes["unknown"] / causes.total()
        print(f"{100 * share:.3f} % of the spans' time is unknown")
        self.assertLess(share, 0.01)

    def test_the_span_that_was_waited_for_is_named(self):
        names = {(span["trace_id"], span["span_id"]): span["operation"] for span in self.spans}
        for operation, (cause, expected) in BY_SPAN.items():
            with self.subTest(operation):
                # Sometimes the other thread is done before this one begins to wait. Such waits are
                # short.
                waits = [part for span in self.spans if span["operation"] == operation
                         for part in span["parts"]
                         if part["cause"] == cause and part["ns"] > 5_000_000]
                by = [names[wait["by"]["trace_id"], wait["by"]["span_id"]] for wait in waits]
                self.assertEqual(set(by), {expected})
                self.assertGreaterEqual(len(by), 3)


class Situations(unittest.TestCase):
    """Tests waits of all kinds, whose spans have tags that specify the expected result."""

    FOLDER = "situations_full"
    INSTEAD = {}  # cause -> what this recording shows of it

    @classmethod
    def setUpClass(cls):
        cls.tags = {span["span_id"]: span.get("tags", {}) for span in ask("ls", cls.FOLDER)}
        cls.spans = [span for span in ask("why", cls.FOLDER, "--all")
                     if "cause" in cls.tags[span["span_id"]]]
        for span in cls.spans:
            tags = cls.tags[span["span_id"]]
            tags["cause"] = cls.INSTEAD.get(tags["cause"], tags["cause"])

    def test_most_of_the_wait_is_of_the_cause(self):
        self.assertGreaterEqual(len(self.spans), 25)
        for span in self.spans:
            with self.subTest(span["operation"]):
                cause, causes = self.tags[span["span_id"]]["cause"], sums(span["parts"])
                print(f"{span['operation']}: {dict(causes)}")
                for other in MACHINE - {cause}:
                    del causes[other]
                self.assertEqual(causes.most_common(1)[0][0], cause)

    def test_who_was_waited_for_is_named(self):
        for span in self.spans:
            tags = self.tags[span["span_id"]]
            if "by" not in tags:
                continue
            with self.subTest(span["operation"]):
                longest = max((part for part in span["parts"] if part["cause"] == tags["cause"]),
                              key=lambda part: part["ns"])
                self.assertEqual(longest["by"]["comm"], tags["by"])

    def test_a_chain_of_locks_is_told_to_its_end(self):
        chain, = [span for span in self.spans if span["operation"] == "chain of locks"]
        self.assertEqual(locks(chain["parts"]), 8)

    def test_parts_add_up_at_every_depth(self):
        for span in self.spans:
            self.assertEqual(sum(part["ns"] for part in span["parts"]), span["duration_ns"], span)
            self.assertEqual(cut(span["parts"]), [])


class SituationsOfTheLightProfile(Situations):
    """The same, without the events of most system calls."""

    FOLDER = "situations_light"
    INSTEAD = {"fault": "disk"}  # a thread that is in no known call may be in an unknown one


if __name__ == "__main__":
    TRACEKIN, RECORDING = sys.argv[1:3]
    del sys.argv[1:3]
    if not os.path.exists(RECORDING):
        print(f"SKIPPED: nothing was recorded in {RECORDING}, as kernel_recording says")
        sys.exit(77)
    unittest.main(verbosity=2)
