#!/usr/bin/env python3
"""Runs exporter_benchmark against a sink in a process of its own and prints tables for docs/performance.md.

usage: exporter_report.py FOLDER-OF-THE-PROGRAMS [REPETITIONS [cpu] [memory] [latency]]
"""
import json
import os
import statistics
import subprocess
import sys

SPANS = 1_000_000
FORMATS = {"json": "/api/v2/spans", "proto3": "/api/v2/spans", "thrift": "/api/v1/spans"}


class Benchmark:
    def __init__(self, folder):
        self.program = os.path.join(folder, "exporter_benchmark")
        self.sink = subprocess.Popen([os.path.join(folder, "exporter_sink")], stdout=subprocess.PIPE, text=True)
        self.url = self.sink.stdout.readline().strip().removesuffix("/api/v2/spans")

    def run(self, what, exporter, amount):
        argument = exporter if isinstance(exporter, str) else json.dumps(
            {"service_name": "benchmark", "exporter": exporter})
        ran = subprocess.run([self.program, what, argument, str(amount)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        return json.loads(ran.stdout) if ran.returncode == 0 else None

    def sink_cpu_seconds(self):
        """With that of threads which have ended, as there is one for each connection."""
        with open(f"/proc/{self.sink.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(values, digits):
    return f"{min(values):,.{digits}f} / {statistics.median(values):,.{digits}f} / {max(values):,.{digits}f}"


def cpu(benchmark, repetitions):
    runs = {what: [] for what in [*FORMATS, "dd-opentracing"]}
    for _ in range(repetitions):  # in turns: the machine's speed drifts
        for what in runs:
            if what in FORMATS:
                ran = benchmark.run("cpu", {"endpoint": benchmark.url + FORMATS[what], "format": what}, SPANS)
            else:
                ran = benchmark.run("datadog", benchmark.url.rsplit(":", 1)[1], SPANS // 20)
            if ran is not None:
                runs[what].append(ran)
    print("| exported as | CPU of the process a span, µs, min / median / max | ratio | spans/s, min / median / max | dropped |")
    print("|---|---|---|---|---|")
    other = statistics.median(run["cpu_us"] for run in runs["dd-opentracing"]) if runs["dd-opentracing"] else None
    for what, ran in runs.items():
        if not ran:
            print(f"| {what} | not measured | | | |")
            continue
        ratio = f"{statistics.median(run['cpu_us'] for run in ran) / other:.3f}" if other else ""
        rate = spread([run["rate"] for run in ran], 0) if what in FORMATS else "20,000 traces of two, paced"
        dropped = sum(run["dropped"] for run in ran) if what in FORMATS else "unknown"
        print(f"| {what} | {spread([run['cpu_us'] for run in ran], 2)} | {ratio} | {rate} | {dropped} |")


def memory(benchmark, _):
    print("\n| memory beyond the program's own, MB | idle | 20 s flat out |")
    print("|---|---|---|")
    for what, exporter in (("collector gone", {"endpoint": "http://127.0.0.1:1/"}),
                           ("collector hangs", {"endpoint": benchmark.url + "/hang"}),
                           ("collector well", {"endpoint": benchmark.url + "/"})):
        ran = benchmark.run("memory", exporter, 20)
        print(f"| {what} | {ran['idle_mb']:.1f} | {ran['load_mb']:.1f} |")


def latency(benchmark, repetitions):
    cases = {"no tracer: the API's no-op": "noop", "well": {"endpoint": benchmark.url + "/"}, "gone": {"endpoint": "http://127.0.0.1:1/"},
             "hangs": {"endpoint": benchmark.url + "/hang"}, "answers 500": {"endpoint": benchmark.url + "/error"},
             "gone, with a spool": {"endpoint": "http://127.0.0.1:1/", "spool_path": "/tmp/tracekin-benchmark-spool"}}
    runs = {case: [] for case in cases}
    for _ in range(repetitions):
        for case, exporter in cases.items():
            runs[case].append(benchmark.run("latency", exporter, 3))
    print("\n| a span at 10,000 a second; the collector | p50, µs, min / median / max | p99 | p99.9 |")
    print("|---|---|---|---|")
    for case, ran in runs.items():
        print(f"| {case} | " + " | ".join(
            spread([run[quantile] for run in ran], 2) for quantile in ("p50_us", "p99_us", "p999_us")) + " |")


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
