#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much less throughput examples/request has while it is recorded.

usage: benchmarks/recording_report.py NAME=RESULT...

Each RESULT is a file that recording_rounds has written. The throughput of a state is compared with
that of the same round without a recording.
"""
import collections
import statistics
import sys

import pairs

NAMES = {"none": "no recording", "again": "no recording, once more", "spans": "spans",
         "light": "spans and kernel, `light`", "full": "spans and kernel, `full`"}


def read(path):
    """Returns state -> round -> (orders, seconds, bytes)."""
    rounds = collections.defaultdict(dict)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            number, state, orders, seconds, size = line.split()
            rounds[state][int(number)] = int(orders), float(seconds), int(size)
    return rounds


def report(name, rounds):
    base = rounds.pop("none")
    rates = [orders / seconds for orders, seconds, _ in base.values()]
    print(f"| {name} | {NAMES['none']} | {statistics.median(rates):.0f} | | |")
    for state, found in rounds.items():
        rates = [orders / seconds for orders, seconds, _ in found.values()]
        less = [100 * (1 - found[number][0] / found[number][1] * base[number][1] / base[number][0])
                for number in found]
        size = statistics.median(size / orders for orders, _, size in found.values())
        print(f"| {name} | {NAMES[state]} | {statistics.median(rates):.0f} "
              f"| {pairs.interval_text(less)} | {size if size > 100 else 0:.0f} |")


def main():
    print("| where | recorded | orders per second | less throughput, % | bytes per order |")
    print("|---|---|---|---|---|")
    for argument in sys.argv[1:]:
        name, path = argument.split("=", 1)
        report(name, read(path))
    print("\nMedians, with their 95 % intervals over the rounds. Bytes include those of the "
          "session's start.")


if __name__ == "__main__":
    main()
