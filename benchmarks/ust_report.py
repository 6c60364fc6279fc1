#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns ust_benchmark's JSON, with and without a listening session, into the Markdown table of
docs/ust-events.md."""
import collections
import json
import statistics
import sys

from bounds import bound_text

ROWS = [("off", "without `ust.enabled`"), ("on", "with `ust.enabled`"),
        ("bare", "without, but bare events of the same fields and bytes in the same places")]


def load(path):
    times = collections.defaultdict(list)
    with open(path) as file:
        for run in json.load(file)["benchmarks"]:
            if run["run_type"] == "iteration":
                times[run["run_name"].split("/")[1]].append(run["cpu_time"])
    return times


def main():
    dormant, recorded = map(load, sys.argv[1:])
    print("| child span, 3 tags, 1 log | nobody listens, ns, min / median | recorded, ns, min / "
          "median |")
    print("|---|---|---|")
    for who, words in ROWS:
        cells = [f"{min(t[who]):.0f} / {statistics.median(t[who]):.0f}"
                 for t in (dormant, recorded)]
        print(f"| {words} | {cells[0]} | {cells[1]} |")
    ratios = []
    for name, of in (("minima", min), ("medians", statistics.median)):
        on, bare = (of(recorded[who]) - of(recorded["off"]) for who in ("on", "bare"))
        ratios.append(on / bare)
        print(f"\nBy {name}, recording adds {on:.0f} ns to a span, {on / bare:.2f} times what the "
              f"bare events add.")
    print(f"\nBound, by minima / by medians: {bound_text(1.15, '×', ratios, 2)}.")


if __name__ == "__main__":
    main()
