#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns tracer_benchmark's JSON into the Markdown table of docs/performance.md.

Each cell is the caller's CPU time for one operation in ns: the minimum and the median of the
repetitions. A ratio compares medians within one run, because the machine's speed drifts. The
tracers take turns in random order.
"""
import collections
import json
import platform
import statistics
import subprocess
import sys

from bounds import bound_text


def load(path):
    times = collections.defaultdict(list)
    allocations = {}
    with open(path) as file:
        report = json.load(file)
    for run in report["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        work, who = run["run_name"].split("/")[:2]
        times[work, who].append(run["cpu_time"])
        allocations[work, who] = run["allocations"] / run["threads"]
    return report["context"], times, allocations


def version(package):
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True,
                           text=True)
    return query.stdout or "not installed"


def cpu_model():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


ROWS = [  # work, tracer, compared with, description, bound
    ("root", "noop", None, "root span: the API's no-op tracer", None),
    ("root", "tracekin_unsampled", "noop", "… tracekin, not sampled", None),
    ("root", "tracekin", "noop", "… tracekin, exported", None),
    ("root", "datadog", "noop", "… dd-opentracing", None),
    ("child", "noop", None, "child of a remote parent, 3 tags, 1 log: no-op", None),
    ("child", "tracekin_unsampled", "noop", "… tracekin, not sampled", ("ratio", 1.5)),
    ("child", "tracekin", "noop", "… tracekin, exported", ("ratio", 4)),
    ("child", "datadog_unsampled", "noop",
     "… dd-opentracing, rate 0 (sends all the same; drops the log)", None),
    ("child", "datadog", "noop", "… dd-opentracing (drops the log)", None),
    ("child_2_threads", "noop", None, "the same on two threads, each: no-op", None),
    ("child_2_threads", "tracekin_unsampled", "noop", "… tracekin, not sampled", None),
    ("child_2_threads", "tracekin", "noop", "… tracekin, exported", None),
    ("child_2_threads", "datadog", "noop", "… dd-opentracing", None),
    ("inject", "carrier", None, "inject B3, 5 headers: the carrier's own Set calls", None),
    ("inject", "tracekin", "carrier", "… tracekin", ("beyond", 30)),
    ("inject", "datadog", "carrier", "… dd-opentracing", None),
    ("extract", "carrier", None, "extract B3: the carrier's own LookupKey calls", None),
    ("extract", "tracekin", "carrier", "… tracekin", ("beyond", 60)),
    ("extract", "datadog", "carrier", "… dd-opentracing", None),
    ("bytes", "memcpy", None, "24 bytes: memcpy", None),
    ("bytes", "tracekin", "memcpy", "… tracekin, a context in Ceph's order", ("ns", 20)),
    ("ceph", "tracekin", None, "tracekin, a context into the front of Ceph's MOSDOp", ("ns", 20)),
    ("clock", "steady", None, "one reading of the steady clock", None),
]


def against_bound(bound, ours, base):
    """Describes how the minima and the medians meet a bound."""
    kind, limit = bound
    compare = {"ratio": lambda mine, its: mine / its, "beyond": lambda mine, its: mine - its,
               "ns": lambda mine, _: mine}[kind]
    figures = [compare(mine, its) for mine, its in zip(ours, base)]
    unit, digits = ("×", 2) if kind == "ratio" else ("ns", 0)
    return bound_text(limit, unit, figures, digits)


def main():
    context, times, allocations = load(sys.argv[1])
    seen = {key: (min(values), statistics.median(values)) for key, values in times.items()}
    repetitions = max(len(values) for values in times.values())
    print(f"{cpu_model()}, {context['num_cpus']} processors, Linux {platform.release()}; "
          f"load {context['load_avg'][0]:.1f} at the start; {repetitions} repetitions of 5,000 "
          f"operations.")
    print(f"libopentracing {version('libopentracing1')}, dd-opentracing "
          f"{version('libdd-opentracing0')}.")
    print()
    print("| work | ns, min / median | ratio | beyond, ns | allocations | bound: by min / by "
          "median |")
    print("|---|---|---|---|---|---|")
    for work, who, base, words, bound in ROWS:
        key = (work, who)
        if key not in seen:
            continue
        ratio = beyond = ""
        if base is not None:
            ratio = f"{seen[key][1] / seen[work, base][1]:.2f}"
            beyond = f"{seen[key][1] - seen[work, base][1]:.0f}"
        kept = against_bound(bound, seen[key], seen.get((work, base), (0, 0))) if bound else ""
        print(f"| {words} | {seen[key][0]:.0f} / {seen[key][1]:.0f} | {ratio} | {beyond} "
              f"| {allocations[key]:.0f} | {kept} |")


if __name__ == "__main__":
    main()
