#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that `tracekin why` finds the causes of the workload's operations on a real kernel.

usage: why_test.py PATH-OF-tracekin RECORDING   RECORDING is a folder that `record` made
"""

import collections
import json
import os
import pathlib
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

    def test_the_cause_is_right_for_99_percent_of_the_time(self):
        skipped = pathlib.Path(RECORDING, f"{self.FOLDER}.skipped").read_text(encoding="utf-8")
        print(f"\n{'situation':34} {'cause':11} {'ms':>8} {'right':>8}  elsewhere, ms")
        all_right = all_waits = 0
        for span in self.spans:
            tags, causes = self.tags[span["span_id"]], sums(span["parts"])
            expected = {tags["cause"], tags.get("also", tags["cause"])}
            waits = {cause: ns for cause, ns in causes.items()
                     if cause in expected or cause not in MACHINE}
            right = sum(waits.get(cause, 0) for cause in expected)
            wrong = {cause: round(ns / 1e6, 2) for cause, ns in waits.items()
                     if cause not in expected}
            print(f"{span['operation']:34} {tags['cause']:11} {sum(waits.values()) / 1e6:8.2f} "
                  f"{right / max(1, sum(waits.values())):8.2%}  {wrong or ''}")
            with self.subTest(span["operation"]):
                self.assertEqual(max(waits, key=waits.get, default=None), tags["cause"])
            all_right += right
            all_waits += sum(waits.values())
        print(f"{len(self.spans)} situations, right for {all_right / all_waits:.3%}", skipped)
        self.assertGreater(all_right / all_waits, 0.99)
        self.assertGreaterEqual(len(self.spans) + skipped.count("SKIPPED"), 38)
        self.assertGreaterEqual(len(self.spans), 30)

    def test_who_was_waited_for_is_named(self):
        for span in self.spans:
            tags = self.tags[span["span_id"]]
            if "by" not in tags:
                continue
            with self.subTest(span["operation"]):
                longest = max((part for part in span["parts"] if part["cause"] == tags["cause"]),
                              key=lambda part: part["ns"])
                self.assertEqual(longest["by"]["comm"], tags["by"])

    def test_lost_packets_are_counted(self):
        call, = [span for span in self.spans if span["operation"] == "call with lost packets"]
        sent = [part.get("transmissions", 1) for part in call["parts"] + [
            below for part in call["parts"] for below in part.get("parts", [])]]
        self.assertGreaterEqual(max(sent), 2)

    def test_a_quota_leaves_a_processor_idle(self):
        quota = [part for span in self.spans if span["operation"] == "quota"
                 for part in span["parts"]]
        if quota:
            longest = max(quota, key=lambda part: part["ns"])
            self.assertTrue(longest["idle_processor"], longest)

    def test_the_disk_had_the_request_for_most_of_the_wait(self):
        for operation in ("fsync", "read"):
            span, = [span for span in self.spans if span["operation"] == operation]
            waits = [part for part in span["parts"] if part["cause"] == "disk"]
            known = sum(part.get("queue_ns", 0) + part.get("service_ns", 0) for part in waits)
            self.assertGreater(known, 0.5 * sum(part["ns"] for part in waits), operation)

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
