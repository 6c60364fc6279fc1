#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how fast both readers of ctf/ read traces, and how fast and in how much memory they are
analysed, in CPU time of one thread, compared with `babeltrace2 -o dummy`.

usage: benchmarks/trace_report.py BENCHMARKS REPETITIONS NAME=FOLDER...

Each FOLDER is repeated along its time axis until it has some 100 MB. The readers take turns, and
the ratios are of medians.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

BYTES = 100_000_000


def size(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*")
               if path.is_file() and path.name != "metadata" and path.suffix != ".idx")


def run(command):
    """Returns the CPU seconds that the command used, and its output."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"trace_report: {command} failed")
        said.seek(0)
        return usage.ru_utime + usage.ru_stime, said.read().decode()


def measure(benchmarks, name, folder, repetitions):
    with tempfile.TemporaryDirectory() as scratch:
        large = scratch + "/large"
        copies = max(1, round(BYTES / size(folder)))
        copy = subprocess.run([benchmarks + "/trace_amplify", folder, large, str(copies)],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        read = benchmarks + "/trace_read"
        ways = {"dummy": ["babeltrace2", "-o", "dummy", large], "own": [read, "own", large],
                "babeltrace2": [read, "babeltrace2", large],
                "analysis": [read, "analysis", large, *copy]}
        seconds = {way: [] for way in ways}
        counts = {}
        for _ in range(repetitions):
            for way, command in ways.items():
                took, said = run(command)
                seconds[way].append(took)
                counts[way] = said.split()
        if counts["own"] != counts["babeltrace2"]:
            raise SystemExit(f"trace_report: {name}: the two ways differ: {counts}")
        events = int(counts["own"][0])
        _, spans, timelines, memory = map(int, counts["analysis"])
        median = {way: statistics.median(values) for way, values in seconds.items()}
        print(f"| {name} | {events / 1e6:.1f} | {size(large) / events:.0f} "
              f"| {median['dummy'] / events * 1e9:.0f} "
              f"| {median['own'] / events * 1e9:.0f} | {median['dummy'] / median['own']:.1f} "
              f"| {median['babeltrace2'] / events * 1e9:.0f} "
              f"| {median['dummy'] / median['babeltrace2']:.2f} |", flush=True)
        return (f"| {name} | {spans} | {median['analysis'] / events * 1e9:.0f} "
                f"| {median['dummy'] / median['analysis']:.1f} "
                f"| {timelines / size(large):.0%} | {memory / 1e6:.0f} |")


def main():
    benchmarks, repetitions, *traces = sys.argv[1:]
    print("CPU time an event in ns, and the speed as a multiple of `babeltrace2 -o dummy`, which")
    print(f"keeps nothing; medians of {repetitions}.\n")
    print("| trace | million events | bytes an event | dummy | our reader | speed "
          "| through libbabeltrace2 | speed |")
    print("|---|---|---|---|---|---|---|---|")
    analysed = [measure(benchmarks, *trace.split("=", 1), int(repetitions)) for trace in traces]
    print("\nThe same, with the analysis and the explanation of every span.\n")
    print("| trace | spans | ns an event | speed | timelines, of the trace's bytes | memory, MB |")
    print("|---|---|---|---|---|---|")
    for line in analysed:
        print(line)


if __name__ == "__main__":
    main()
