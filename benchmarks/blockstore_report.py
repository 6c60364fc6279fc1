#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs fio on examples/blockstore with tracing in several states, and prints tables for
docs/performance.md.

usage: scripts/with-lttng blockstore_report.py BUILD-FOLDER CEPH-CONF [--thesis] [ROUNDS]

The machine's speed changes from one minute to the next by more than tracing costs. Therefore a
device for each state runs all the time, on one Ceph cluster. In each round every device runs each
load for one second, in random order. A state is compared with the two devices that are "compiled
out", in the same load and round, and these two are compared with each other. The processes are
replaced after some rounds, because two devices without tracing can differ by 30 % for as long as
they run. All devices write the same objects.

--thesis runs the two loads of BlkKin's thesis instead of the grid: 64 KiB writes one after another
and 4 KiB writes in random order. They cover 512 MB rather than 2 GB, which would only take longer
to fill.
"""
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples/blockstore"))
from pairs import interval_text
from processes import cpu_seconds
from store import Blockstore

OUT = "compiled out"
AGAIN = "compiled out, a second device"  # shows how much two equal devices differ
UST = {"TRACEKIN_UST_ENABLED": "true"}
NOT_EXPORTED = {"TRACEKIN_EXPORTER_TYPE": "none"}
# BlkKin recorded this many events for an IO, most of them in Ceph. The peers record the other 12.
BLKIN = {"BLOCKSTORE_EXTRA_EVENTS": "101"}
# Each state's name, whether LTTng records, and the variables of its environment.
STATES = {
    OUT: (False, {}),
    AGAIN: (False, {}),
    "stopped": (False, {**UST, **NOT_EXPORTED}),
    "tracing": (True, {**UST, **NOT_EXPORTED}),
    "tracing, exporting": (True, UST),
    "tracing, exporting, 1/500 sampled":
        (True, {**UST, "TRACEKIN_UST_SPANS": "sampled", "TRACEKIN_SAMPLER_TYPE": "probabilistic",
                "TRACEKIN_SAMPLER_RATE": "0.002"}),
    "tracing, 113 annotations": (True, {**UST, **NOT_EXPORTED, **BLKIN}),
}
ROUNDS_OF_A_PROCESS = 2
GRID = [{"rw": rw, "bs": bs, "iodepth": depth, "size": "64m"}
        for rw, bs, depth in itertools.product(["randread", "randwrite"], ["4k", "64k", "128k"],
                                               [1, 16])]
THESIS = [{"rw": "write", "bs": "64k", "iodepth": 1, "size": "512m"},
          {"rw": "randwrite", "bs": "4k", "iodepth": 1, "size": "512m"}]


def lttng(*command):
    subprocess.run(["lttng", *command], check=True, stdout=subprocess.DEVNULL)


def make_session(folder):
    """Creates a session that records spans once it is started and keeps the last gigabyte."""
    lttng("create", "bench", f"--output={folder}/lttng")
    lttng("enable-channel", "--userspace", "--subbuf-size=4M", "--num-subbuf=8",
          "--tracefile-size=64M", "--tracefile-count=8", "large")
    lttng("enable-event", "--userspace", "--channel=large", "tracekin:span_*")


def device_cpu_seconds(device):
    return sum(cpu_seconds(process.pid) for process in device.running.values())


def fio(uri, folder, **options):
    ran = subprocess.run(
        ["fio", "--name=bench", "--ioengine=nbd", f"--uri={uri}", "--output-format=json",
         "--randrepeat=0",
         *(f"--{key}={value}" for key, value in options.items())],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    job = json.loads(ran.stdout[ran.stdout.index("{"):])["jobs"][0]
    return job["read" if "read" in options["rw"] else "write"]


class Bench:
    """One device for each state, all on one Ceph cluster; a context manager."""

    def __init__(self, build, conf, folder, size):
        self.build, self.conf, self.folder, self.size = build, conf, folder, size
        self.devices = {}

    def __enter__(self):
        self.sink = subprocess.Popen([self.build / "benchmarks/exporter_sink"],
                                     stdout=subprocess.PIPE,
                                     text=True)
        self.endpoint = self.sink.stdout.readline().strip()
        make_session(self.folder)
        return self

    def __exit__(self, *_):
        self.stop()
        lttng("destroy", "bench")
        self.sink.kill()
        self.sink.wait()

    def stop(self):
        while self.devices:
            self.devices.popitem()[1].__exit__()

    def start(self):
        """Starts new processes, those of each state in a random one of the device folders.
        """
        self.stop()
        for number, state in enumerate(random.sample(list(STATES), len(STATES))):
            programs = self.build / "examples/blockstore" / ("plain" if state in (OUT, AGAIN)
                                                             else "traced")
            device = Blockstore(programs, self.folder / str(number), self.conf, size=self.size,
                                environment={"TRACEKIN_EXPORTER_ENDPOINT": self.endpoint,
                                             **STATES[state][1]})
            self.devices[state] = device.__enter__()
            filled = self.folder / str(number) / "filled"
            if not filled.exists():
                fio(device.uri, self.folder, rw="write", bs="128k", iodepth=16,
                    size=self.size.lower())
                filled.touch()

    def run(self, state, load):
        device = self.devices[state]
        records = STATES[state][0]
        if records:
            lttng("start", "bench")
        before = device_cpu_seconds(device)
        result = fio(device.uri, self.folder, runtime=1, time_based=1, **load)
        cpu = device_cpu_seconds(device) - before
        if records:
            lttng("stop", "bench")
        return {"bandwidth": result["bw_bytes"] / 1e6, "latency": result["clat_ns"]["mean"] / 1e3,
                "cpu": cpu / result["total_ios"] * 1e6}


def lost(state, runs, figure):
    """Returns by how many percent a state is worse than without tracing, one value per round."""
    others = (OUT,) if state == AGAIN else (OUT, AGAIN)
    ratios = [ran[figure] / statistics.mean(runs[other][number][figure] for other in others)
              for number, ran in enumerate(runs[state])]
    return [100 * (1 - ratio if figure == "bandwidth" else ratio - 1) for ratio in ratios]


def table(load, runs):
    print(f"\n**{load['rw']}, {load['bs']}, queue depth {load['iodepth']}**\n")
    print("| state | MB/s | µs an IO | CPU of the device, µs an IO | bandwidth lost, % | CPU "
          "added, % |")
    print("|---|---|---|---|---|---|")
    for state, results in runs.items():
        middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
        compared = "| |" if state == OUT else " | ".join(
            interval_text(lost(state, runs, figure)) for figure in ("bandwidth", "cpu")) + " |"
        print(f"| {state} | {middle['bandwidth']:.1f} | {middle['latency']:.0f} | "
              f"{middle['cpu']:.0f} "
              f"| {compared}")


def summary(all_runs):
    print("\n**All loads together**, %\n")
    print("| state | bandwidth lost | latency added | CPU added | pairs |\n|---|---|---|---|---|")
    for state in list(STATES)[1:]:
        pairs = {figure: [value for runs in all_runs for value in lost(state, runs, figure)]
                 for figure in ("bandwidth", "latency", "cpu")}
        print(f"| {state} | " + " | ".join(interval_text(values) for values in pairs.values())
              + f" | {len(pairs['cpu'])} |")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--thesis"]
    thesis = "--thesis" in sys.argv
    loads = THESIS if thesis else GRID
    build, conf = pathlib.Path(arguments[0]).resolve(), arguments[1]
    rounds = int(arguments[2]) if len(arguments) > 2 else 10
    runs = [{state: [] for state in STATES} for _ in loads]
    with tempfile.TemporaryDirectory(prefix="blockstore-") as folder:
        with Bench(build, conf, pathlib.Path(folder), "512M" if thesis else "64M") as bench:
            for number in range(rounds):
                if number % ROUNDS_OF_A_PROCESS == 0:
                    bench.start()
                for load, results in zip(loads, runs):
                    for state in random.sample(list(STATES), len(STATES)):
                        results[state].append(bench.run(state, load))
    for load, results in zip(loads, runs):
        table(load, results)
    summary(runs)


if __name__ == "__main__":
    main()
