#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs exporter_benchmark against a sink in another process and prints tables for
docs/performance.md.

usage: exporter_report.py FOLDER-OF-THE-PROGRAMS [REPETITIONS [cpu] [memory] [latency]]
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

from bounds import bound_text

SPANS = 1_000_000
CPU_BOUNDS = {"json": 1.0, "proto3": 0.7}  # µs per span
RATE_BOUND = 700_000
IDLE_BOUND, LATENCY_BOUND = 1, 3  # MB, µs
# The queue's bytes and four batches of half a megabyte (one being filled, two ready, one being
# sent) and the encoded copy of the latter.
LOAD_BOUND = 16.8 + 3
FORMATS = {"json": "/api/v2/spans", "proto3": "/api/v2/spans", "thrift": "/api/v1/spans"}


class Benchmark:
    def __init__(self, folder):
        self.program = os.path.join(folder, "exporter_benchmark")
        self.sink = subprocess.Popen([os.path.join(folder, "exporter_sink")],
                                     stdout=subprocess.PIPE, text=True)
        self.url = self.sink.stdout.readline().strip().removesuffix("/api/v2/spans")

    def run(self, what, exporter, amount):
        argument = exporter if isinstance(exporter, str) else json.dumps(
            {"service_name": "benchmark", "exporter": exporter})
        ran = subprocess.run([self.program, what, argument, str(amount)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        return json.loads(ran.stdout) if ran.returncode == 0 else None

    def sink_cpu_seconds(self):
        """Returns the sink's CPU time. It includes threads that have ended, because each connection
        has its own thread."""
        with open(f"/proc/{self.sink.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(values, digits):
    figures = (min(values), statistics.median(values), max(values))
    return " / ".join(f"{figure:,.{digits}f}" for figure in figures)


def lowest_and_middle(values):
    values = list(values)
    return min(values), statistics.median(values)


def cpu(benchmark, repetitions):
    runs = {what: [] for what in [*FORMATS, "dd-opentracing"]}
    for _ in range(repetitions):  # in turns, because the machine's speed drifts
        for what in runs:
            if what in FORMATS:
                ran = benchmark.run("cpu",
                                    {"endpoint": benchmark.url + FORMATS[what], "format": what},
                                    SPANS)
            else:
                ran = benchmark.run("datadog", benchmark.url.rsplit(":", 1)[1], SPANS // 20)
            if ran is not None:
                runs[what].append(ran)
    print("| exported as | CPU of the process a span, µs, min / median / max | bound, by min / by "
          "median | ratio | spans/s, min / median / max | dropped |")
    print("|---|---|---|---|---|---|")
    other = statistics.median(run["cpu_us"]
                              for run in runs["dd-opentracing"]) if runs["dd-opentracing"] else None
    for what, ran in runs.items():
        if not ran:
            print(f"| {what} | not measured | | | | |")
            continue
        ratio = f"{statistics.median(run['cpu_us'] for run in ran) / other:.3f}" if other else ""
        rate = spread([run["rate"] for run in ran],
                      0) if what in FORMATS else "20,000 traces of two, paced"
        dropped = sum(run["dropped"] for run in ran) if what in FORMATS else "unknown"
        times = [run["cpu_us"] for run in ran]
        bound = bound_text(CPU_BOUNDS[what], "µs", lowest_and_middle(times),
                           2) if what in CPU_BOUNDS else ""
        print(f"| {what} | {spread(times, 2)} | {bound} | {ratio} | {rate} | {dropped} |")
    rates = lowest_and_middle(run["rate"] for run in runs["json"])
    counted = pathlib.Path(__file__).with_name("instructions.json").read_text()
    took = json.loads(counted)["instructions"]
    print(f"\nInstructions of a span, by callgrind: {took['child/tracekin']:,} of the thread that "
          f"makes it, of these "
          f"{took['child/noop']:,} are the API's;\n{took['export/json']:,} to export it as JSON, "
          f"{took['export/proto3']:,} as proto3.")
    print(f"\nSpans per second as JSON, minimum / median: "
          f"{bound_text(RATE_BOUND, '', rates, at_least=True)}.")


def memory(benchmark, _):
    print("\n| memory beyond the program's own, MB | idle | 20 s flat out |")
    print("|---|---|---|")
    runs = []
    for what, exporter in (("collector gone", {"endpoint": "http://127.0.0.1:1/"}),
                           ("collector hangs", {"endpoint": benchmark.url + "/hang"}),
                           ("collector well", {"endpoint": benchmark.url + "/"})):
        ran = benchmark.run("memory", exporter, 20)
        print(f"| {what} | {ran['idle_mb']:.1f} | {ran['load_mb']:.1f} |")
        runs.append(ran)
    for words, key, bound in (("idle", "idle_mb", IDLE_BOUND), ("flat out", "load_mb", LOAD_BOUND)):
        print(f"\nBound, {words}, the worst: "
              f"{bound_text(bound, 'MB', [max(run[key] for run in runs)], 1)}.")


def latency(benchmark, repetitions):
    unsampled = {"service_name": "benchmark", "sampler": {"type": "never"},
                 "exporter": {"endpoint": benchmark.url + "/"}}
    cases = {"no tracer: the API's no-op": "noop",
             "none: `exporter.type` is `none`": {"type": "none"},
             "well, but nothing is sampled": json.dumps(unsampled),
             "well": {"endpoint": benchmark.url + "/"}, "gone": {"endpoint": "http://127.0.0.1:1/"},
             "hangs": {"endpoint": benchmark.url + "/hang"},
             "answers 500": {"endpoint": benchmark.url + "/error"},
             "gone, with a spool": {"endpoint": "http://127.0.0.1:1/",
                                    "spool_path": "/tmp/tracekin-benchmark-spool"},
             "dd-opentracing, its agent gone": "datadog"}
    runs = {case: [] for case in cases}
    for _ in range(repetitions):
        for case, exporter in cases.items():
            ran = benchmark.run("latency", exporter, 3)
            if ran is not None:
                runs[case].append(ran)
    print("\n| a span at 10,000 a second; the collector | p50, µs, min / median / max | p99 | "
          "p99.9 |")
    print("|---|---|---|---|")
    for case, ran in runs.items():
        if not ran:
            print(f"| {case} | not measured | | |")
            continue
        print(f"| {case} | " + " | ".join(
            spread([run[quantile] for run in ran], 2)
            for quantile in ("p50_us", "p99_us", "p999_us")) + " |")
    figures = lowest_and_middle(run["p999_us"] for run in runs["well"])
    print("\nThe first line shows the delays that the machine adds to any code. In the second and "
          "third lines, spans are not\nwritten, and in the fourth they are written and queued. The "
          "length of the tail is proportional to the amount of code, "
          "because the code is no longer\nin the caches when it runs.")
    print(f"\np99.9 with a healthy collector, by minimum / by median: "
          f"{bound_text(LATENCY_BOUND, 'µs', figures, 1)}.")


TABLES = {"cpu": cpu, "memory": memory, "latency": latency}


def main():
    benchmark = Benchmark(sys.argv[1])
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    try:
        for name in sys.argv[3:] or TABLES:
            TABLES[name](benchmark, repetitions)
            sys.stdout.flush()
    finally:
        benchmark.sink.kill()


if __name__ == "__main__":
    main()
