#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tracekin why` finds the causes that the workload's operations are made of, on a real kernel.

usage: why_test.py PATH-OF-tracekin RECORDING   RECORDING is a folder that `record` made
"""

import collections
import json
import os
import subprocess
import sys
import unittest

# Operation -> causes that make up most of its time together, besides what the machine adds: its
# threads run, are interrupted, and are ready.
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
    """The parts whose sum is not that of the part that they explain."""
    wrong = []
    for part in parts:
        if "parts" in part:
            if sum(below["ns"] for below in part["parts"]) != part["ns"]:
                wrong.append(part)
            wrong += cut(part["parts"])
    return wrong


class Why(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spans = []
        for folder in ("plain", "pid_namespace"):
            told = subprocess.run([TRACEKIN, "why", os.path.join(RECORDING, folder), "--all", "--json"],
                                  check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
            cls.spans += map(json.loads, told.splitlines())

    def test_every_operation_is_there(self):
        self.assertLessEqual(set(CAUSES), {span["operation"] for span in self.spans})

    def test_parts_add_up_at_every_depth(self):
        for span in self.spans:
            self.assertEqual(sum(part["ns"] for part in span["parts"]), span["duration_ns"], span)
            self.assertEqual(cut(span["parts"]), [])

    def test_the_causes_are_those_of_the_operation(self):
        totals = collections.defaultdict(collections.Counter)
        for span in self.spans:
            for part in span["parts"]:
                totals[span["operation"]][part["cause"]] += part["ns"]
        for operation, causes in CAUSES.items():
            with self.subTest(operation):
                total = totals[operation].total()
                machine = sum(totals[operation][cause]
                              for cause in {"running", "interrupted", "preempted", "ready"} - causes)
                expected = sum(totals[operation][cause] for cause in causes)
                print(f"{operation}: {dict(totals[operation])}")
                self.assertGreater(expected, 0.9 * (total - machine))
                self.assertGreater(expected, 0.2 * total)

    def test_hardly_anything_is_unknown(self):
        causes = collections.Counter()
        for span in self.spans:
            for part in span["parts"]:
                causes[part["cause"]] += part["ns"]
        share = causes["unknown"] / causes.total()
        print(f"{100 * share:.3f} % of the spans' time is unknown")
        self.assertLess(share, 0.01)

    def test_the_span_that_was_waited_for_is_named(self):
        names = {(span["trace_id"], span["span_id"]): span["operation"] for span in self.spans}
        for operation, (cause, expected) in BY_SPAN.items():
            with self.subTest(operation):
                # The other thread is done before this one begins to wait, now and then.
                waits = [part for span in self.spans if span["operation"] == operation
                         for part in span["parts"] if part["cause"] == cause and part["ns"] > 5_000_000]
                by = [names[wait["by"]["trace_id"], wait["by"]["span_id"]] for wait in waits]
                self.assertEqual(set(by), {expected})
                self.assertGreaterEqual(len(by), 3)


if __name__ == "__main__":
    TRACEKIN, RECORDING = sys.argv[1:3]
    del sys.argv[1:3]
    if not os.path.exists(RECORDING):
        print(f"SKIPPED: nothing was recorded in {RECORDING}, as kernel_recording says")
        sys.exit(77)
    unittest.main(verbosity=2)
