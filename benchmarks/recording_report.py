#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much less throughput examples/request has while it is recorded.

usage: benchmarks/recording_report.py NAME=RESULT...

Each RESULT is a file that recording_rounds has written. The throughput and the CPU time of a state
are compared with those of the same round without a recording. On a busy machine only the CPU time
tells something.
"""
import collections
import dataclasses
import statistics
import sys

import pairs

NAMES = {"none": "no recording", "again": "no recording, once more", "spans": "spans",
         "light": "spans and kernel, `light`", "full": "spans and kernel, `full`"}


@dataclasses.dataclass
class Run:
    orders: int
    seconds: float
    cpu_seconds: float  # of the services, for all batches
    size: int


def read(path):
    """Returns state -> round -> Run."""
    rounds = collections.defaultdict(dict)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            number, state, orders, seconds, cpu_seconds, size = line.split()
            rounds[state][int(number)] = Run(int(orders), float(seconds), float(cpu_seconds),
                                             int(size))
    return rounds


def rate(runs):
    return statistics.median(run.orders / run.seconds for run in runs.values())


def report(name, rounds):
    base = rounds.pop("none")
    print(f"| {name} | {NAMES['none']} | {rate(base):.0f} | | | |")
    for state, found in rounds.items():
        less = [100 * (1 - base[number].seconds / run.seconds) for number, run in found.items()]
        more = [100 * (run.cpu_seconds / base[number].cpu_seconds - 1)
                for number, run in found.items()]
        size = statistics.median(run.size / run.orders for run in found.values())
        print(f"| {name} | {NAMES[state]} | {rate(found):.0f} | {pairs.interval_text(less)} "
              f"| {pairs.interval_text(more)} | {size if size > 100 else 0:.0f} |")


def main():
    print("| where | recorded | orders per second | less throughput, % | more CPU time, % "
          "| bytes per order |")
    print("|---|---|---|---|---|---|")
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        report(name, read(path))
    print("\nMedians, with their 95 % intervals over the rounds. The CPU time is that of HAProxy "
          "and the two services. Bytes include those of the session's start.")


if __name__ == "__main__":
    main()
