#!/usr/bin/env python3
"""Prints the sizes of the delivered libraries, and what a host waits for at its start, for docs/performance.md.

usage: load_report.py BUILD-FOLDER [REPETITIONS]
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from haproxy_report import DATADOG_PLUGIN

LIBRARIES = ("libtracekin.so", "libtracekin_plugin.so", "libtracekin_ust.so", "libtracekin_thrift.so",
             "libtracekin_kafka.so")


def sizes(build):
    print("| library, stripped | kB |\n|---|---|")
    for name in LIBRARIES:
        library = build / "lib" / name
        if library.exists():
            with tempfile.NamedTemporaryFile() as stripped:
                subprocess.run(["strip", "--strip-unneeded", "-o", stripped.name, library], check=True)
                print(f"| {name} | {os.path.getsize(stripped.name) / 1000:,.0f} |")


def cases(build):
    """What load_benchmark is called with, by what it shows."""
    def tracekin(ust):
        return [build / "lib/libtracekin_plugin.so", json.dumps({
            "service_name": "host", "exporter": {"endpoint": "http://127.0.0.1:1/"}, "ust": {"enabled": ust}})]

    found = {
        "tracekin": tracekin(False),
        "… where OpenSSL is loaded already, as in HAProxy": [*tracekin(False), "libssl.so.3"],
        "… where libcurl is loaded already": [*tracekin(False), "libcurl.so.4"],
        "… with `ust.enabled`": tracekin(True),
        "… the same, where libcurl and LTTng's library are loaded already":
            [*tracekin(True), "libcurl.so.4", "liblttng-ust.so.1"],
        "a plugin that does nothing": [build / "benchmarks/noop_plugin.so", ""],
    }
    if DATADOG_PLUGIN:
        found["dd-opentracing"] = [DATADOG_PLUGIN, json.dumps(
            {"service": "host", "agent_host": "127.0.0.1", "agent_port": 1})]
    return found


def run(build, arguments):
    ran = subprocess.run([build / "benchmarks/load_benchmark", *arguments], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    return json.loads(ran.stdout)


def times(build, repetitions):
    commands = cases(build)
    runs = {name: [] for name in commands}
    for _ in range(repetitions):
        for name in random.sample(list(commands), len(commands)):
            runs[name].append(run(build, commands[name]))
    print("\n| ms, min / median | load | make a tracer | first span | all | CPU of all |\n|---|---|---|---|---|---|")
    for name, results in runs.items():
        cells = [[result[part] for result in results] for part in ("load", "make", "span", "all", "cpu")]
        print(f"| {name} | " + " | ".join(
            f"{min(values):.2f} / {statistics.median(values):.2f}" for values in cells) + " |")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    sizes(build)
    times(build, int(sys.argv[2]) if len(sys.argv) > 2 else 41)


if __name__ == "__main__":
    main()
