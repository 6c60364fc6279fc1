#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares scaling_model.py with this machine and predicts the results of others; prints tables for
docs/performance.md.

usage: scaling_report.py FOLDER-OF-THE-PROGRAMS [REPETITIONS]
"""
import dataclasses
import os
import statistics
import sys

from exporter_report import Benchmark
from scaling_model import Costs, Limits, lossless, overload

PRODUCERS = (1, 2, 4, 8)


def thousands(rate):
    return f"{rate / 1000:,.0f}"


def measure(benchmark, repetitions):
    exporter = {"endpoint": benchmark.url + "/api/v2/spans", "format": "json"}
    runs = {producers: [] for producers in PRODUCERS}
    for _ in range(repetitions):
        for producers in PRODUCERS:
            before = benchmark.sink_cpu_seconds()
            run = benchmark.run("overload", exporter, producers)
            seconds = benchmark.sink_cpu_seconds() - before
            runs[producers].append({**run, "collector_ns": 1e9 * seconds / (3 * run["exported"])})
    return {producers: {key: statistics.median(run[key] for run in ran) for key in ran[0]}
            for producers, ran in runs.items()}


def compare(measured, costs):
    processors = len(os.sched_getaffinity(0))
    print(f"| producers, flat out on {processors} processors | thousand spans/s made: measured | "
          f"the model"
          " | exported: measured | the model |")
    print("|---|---|---|---|---|")
    for producers, run in measured.items():
        made, exported = overload(costs, Limits(), producers, processors)
        print(f"| {producers} | {thousands(run['started'])} | {thousands(made)} "
              f"| {thousands(run['exported'])} | {thousands(exported)} |")


def predict(costs):
    print("\n| thousand spans/s without loss: 8 producers, processors | collector answers at once "
          "| in 5 ms | in 50 ms"
          " | in 50 ms, batches of 2,000 |")
    print("|---|---|---|---|---|")
    for processors in (2, 4, 16):
        cells = [lossless(costs, Limits(batch=batch, answer=answer), 8, processors)
                 for batch, answer in ((1000, 0), (1000, 0.005), (1000, 0.05), (2000, 0.05))]
        print(f"| {processors} | " + " | ".join(map(thousands, cells)) + " |")


def main():
    benchmark = Benchmark(sys.argv[1])
    try:
        measured = measure(benchmark, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
    finally:
        benchmark.sink.kill()
    one = measured[1]
    costs = Costs(*(one[of + "_ns"] / 1e9
                    for of in ("producer", "exporter", "sender", "collector")))
    print(f"Costs of a span, in ns of CPU, with one producer: {one['producer_ns']:.0f} for it, "
          f"{one['exporter_ns']:.0f} for the exporter thread, {one['sender_ns']:.0f} for the "
          f"sender, "
          f"{one['collector_ns']:.0f} for the sink.\n")
    compare(measured, costs)
    predict(dataclasses.replace(costs, collector=0.0))


if __name__ == "__main__":
    main()
