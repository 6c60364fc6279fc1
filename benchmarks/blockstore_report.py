#!/usr/bin/env python3
"""Runs fio on examples/blockstore with tracing in several states, and prints tables for docs/performance.md.

usage: scripts/with-lttng blockstore_report.py BUILD-FOLDER CEPH-CONF [--thesis] [REPETITIONS]

The states take turns within each repetition, in random order; a state is compared with "compiled out" of the
same repetition. --thesis: the two loads of BlkKin's thesis, 2 GB of 64 KiB writes one after another and as
much of 4 KiB writes in random order, instead of the grid.
"""
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples/blockstore"))
from pairs import median_interval
from store import Blockstore

OUT = "compiled out"
UST = {"TRACEKIN_UST_ENABLED": "true"}
NOT_EXPORTED = {"TRACEKIN_SAMPLER_TYPE": "never"}
# What an IO of BlkKin's had, most of it in Ceph; the peers make the other 12.
BLKIN = {"BLOCKSTORE_EXTRA_EVENTS": "101"}
# Name: whether LTTng records, and what is in the environment.
STATES = {
    OUT: (False, {}),
    "stopped": (False, {**UST, **NOT_EXPORTED}),
    "tracing": (True, {**UST, **NOT_EXPORTED}),
    "tracing, exporting": (True, UST),
    "tracing, exporting, 1/500 sampled":
        (True, {**UST, "TRACEKIN_UST_SPANS": "sampled", "TRACEKIN_SAMPLER_TYPE": "probabilistic",
                "TRACEKIN_SAMPLER_RATE": "0.002"}),
    "tracing, 113 annotations": (True, {**UST, **NOT_EXPORTED, **BLKIN}),
}
GRID = [{"rw": rw, "bs": bs, "iodepth": depth, "size": "64m", "runtime": 2, "time_based": 1}
        for rw, bs, depth in itertools.product(["randread", "randwrite"], ["4k", "64k", "128k"], [1, 16])]
THESIS = [{"rw": "write", "bs": "64k", "iodepth": 1, "size": "2g"},
          {"rw": "randwrite", "bs": "4k", "iodepth": 1, "size": "2g", "io_size": "256m"}]


def lttng(*command):
    subprocess.run(["lttng", *command], check=True, stdout=subprocess.DEVNULL)


class Session:
    """An LTTng session that records spans, if `on`."""

    def __init__(self, on, folder):
        self.on, self.folder = on, folder

    def __enter__(self):
        if self.on:
            lttng("create", "bench", f"--output={self.folder}/lttng")
            lttng("enable-channel", "--userspace", "--subbuf-size=4M", "--num-subbuf=8", "large")
            lttng("enable-event", "--userspace", "--channel=large", "tracekin:span_*")
            lttng("start")

    def __exit__(self, *_):
        if self.on:
            lttng("destroy", "bench")
            subprocess.run(["rm", "-rf", f"{self.folder}/lttng"], check=True)


def cpu_seconds(processes):
    ticks = 0
    for process in processes:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def fio(uri, folder, **options):
    ran = subprocess.run(
        ["fio", "--name=bench", "--ioengine=nbd", f"--uri={uri}", "--output-format=json", "--randrepeat=0",
         *(f"--{key}={value}" for key, value in options.items())],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    job = json.loads(ran.stdout[ran.stdout.index("{"):])["jobs"][0]
    return job["read" if "read" in options["rw"] else "write"]


class Bench:
    def __init__(self, build, conf, folder, size):
        self.build, self.conf, self.folder, self.size = build, conf, folder, size
        self.sink = subprocess.Popen([build / "benchmarks/exporter_sink"], stdout=subprocess.PIPE, text=True)
        self.endpoint = {"TRACEKIN_EXPORTER_ENDPOINT": self.sink.stdout.readline().strip()}

    def run(self, state, load):
        records, environment = STATES[state]
        programs = self.build / "examples/blockstore" / ("plain" if state == OUT else "traced")
        with Session(records, self.folder), Blockstore(
                programs, self.folder, self.conf, size=self.size,
                environment={**self.endpoint, **environment}) as store:
            time.sleep(0.2)
            before = cpu_seconds(store.running.values())
            result = fio(store.uri, self.folder, **load)
            cpu = cpu_seconds(store.running.values()) - before
        return {"bandwidth": result["bw_bytes"] / 1e6, "latency": result["clat_ns"]["mean"] / 1e3,
                "cpu": cpu / result["total_ios"] * 1e6}


def spread(values):
    return f"{statistics.median(values):+.1f} ({min(values):+.1f} to {max(values):+.1f})"


def table(load, runs):
    print(f"\n**{load['rw']}, {load['bs']}, queue depth {load['iodepth']}**\n")
    print("| state | MB/s | µs an IO | CPU of the peers, µs an IO | bandwidth lost, % | CPU added, % |")
    print("|---|---|---|---|---|---|")
    for state, results in runs.items():
        middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
        pairs = list(zip(results, runs[OUT]))
        lost = [100 * (1 - ran["bandwidth"] / out["bandwidth"]) for ran, out in pairs]
        added = [100 * (ran["cpu"] / out["cpu"] - 1) for ran, out in pairs]
        print(f"| {state} | {middle['bandwidth']:.1f} | {middle['latency']:.0f} | {middle['cpu']:.0f} | "
              + ("| |" if state == OUT else f"{spread(lost)} | {spread(added)} |"))


def summary(lost):
    print("\n**All loads together**: bandwidth lost, %; the median of all pairs, and its 95 % interval by the"
          " sign test\n")
    print("| state | lost | interval | pairs |\n|---|---|---|---|")
    for state, values in lost.items():
        middle, low, high = median_interval(values)
        print(f"| {state} | {middle:+.1f} | {low:+.1f} to {high:+.1f} | {len(values)} |")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--thesis"]
    thesis = "--thesis" in sys.argv
    build, conf = pathlib.Path(arguments[0]).resolve(), arguments[1]
    repetitions = int(arguments[2]) if len(arguments) > 2 else 5
    lost = {state: [] for state in STATES if state != OUT}
    with tempfile.TemporaryDirectory(prefix="blockstore-") as folder:
        bench = Bench(build, conf, pathlib.Path(folder), "2G" if thesis else "64M")
        try:
            # So that every block is there.
            bench.run(OUT, {"rw": "write", "bs": "128k", "iodepth": 16, "size": "2g" if thesis else "64m"})
            for load in THESIS if thesis else GRID:
                runs = {state: [] for state in STATES}
                for _ in range(repetitions):
                    for state in random.sample(list(STATES), len(STATES)):
                        runs[state].append(bench.run(state, load))
                for state in lost:
                    lost[state] += [100 * (1 - ran["bandwidth"] / out["bandwidth"])
                                    for ran, out in zip(runs[state], runs[OUT])]
                table(load, runs)
                sys.stdout.flush()
        finally:
            bench.sink.kill()
    summary(lost)


if __name__ == "__main__":
    main()
