#!/usr/bin/env python3
"""Turns tracer_benchmark's JSON into the Markdown table of docs/performance.md.

Each cell is the caller's CPU time for one operation, minimum and median over the repetitions, in ns. A ratio
is of medians, within one run: the machine's speed drifts, and the tracers' turns are mixed at random.
"""
import collections
import json
import platform
import statistics
import subprocess
import sys


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
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return query.stdout or "not installed"


def cpu_model():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


ROWS = [  # work, who, against what, in words
    ("root", "noop", None, "root span: the API's no-op tracer"),
    ("root", "tracekin_unsampled", "noop", "… tracekin, not sampled"),
    ("root", "tracekin", "noop", "… tracekin, exported"),
    ("root", "datadog", "noop", "… dd-opentracing"),
    ("child", "noop", None, "child of a remote parent, 3 tags, 1 log: no-op"),
    ("child", "tracekin_unsampled", "noop", "… tracekin, not sampled"),
    ("child", "tracekin", "noop", "… tracekin, exported"),
    ("child", "datadog_unsampled", "noop", "… dd-opentracing, rate 0 (sends all the same; drops the log)"),
    ("child", "datadog", "noop", "… dd-opentracing (drops the log)"),
    ("child_2_threads", "noop", None, "the same on two threads, each: no-op"),
    ("child_2_threads", "tracekin_unsampled", "noop", "… tracekin, not sampled"),
    ("child_2_threads", "tracekin", "noop", "… tracekin, exported"),
    ("child_2_threads", "datadog", "noop", "… dd-opentracing"),
    ("inject", "carrier", None, "inject B3, 5 headers: the carrier's own Set calls"),
    ("inject", "tracekin", "carrier", "… tracekin"),
    ("inject", "datadog", "carrier", "… dd-opentracing"),
    ("extract", "carrier", None, "extract B3: the carrier's own LookupKey calls"),
    ("extract", "tracekin", "carrier", "… tracekin"),
    ("extract", "datadog", "carrier", "… dd-opentracing"),
    ("clock", "steady", None, "one reading of the steady clock"),
]


def main():
    context, times, allocations = load(sys.argv[1])
    median = {key: statistics.median(values) for key, values in times.items()}
    repetitions = max(len(values) for values in times.values())
    print(f"{cpu_model()}, {context['num_cpus']} processors, Linux {platform.release()}; "
          f"load {context['load_avg'][0]:.1f} at the start; {repetitions} repetitions of 5,000 operations.")
    print(f"libopentracing {version('libopentracing1')}, dd-opentracing {version('libdd-opentracing0')}.")
    print()
    print("| work | ns, min / median | ratio | beyond, ns | allocations |")
    print("|---|---|---|---|---|")
    for work, who, base, words in ROWS:
        key = (work, who)
        if key not in times:
            continue
        ratio = beyond = ""
        if base is not None:
            ratio = f"{median[key] / median[work, base]:.2f}"
            beyond = f"{median[key] - median[work, base]:.0f}"
        print(f"| {words} | {min(times[key]):.0f} / {median[key]:.0f} | {ratio} | {beyond} "
              f"| {allocations[key]:.0f} |")


if __name__ == "__main__":
    main()
