#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the sizes of the installed libraries, and the time that a host needs to load the plugin,
for docs/performance.md.

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

from bounds import bound_text
from haproxy_report import DATADOG_PLUGIN

PLUGIN = "libtracekin_plugin.so"
LIBRARIES = ("libtracekin.so", PLUGIN, "libtracekin_ust.so", "libtracekin_thrift.so",
             "libtracekin_kafka.so")
WITH_OPENSSL = "… where OpenSSL is loaded already, as in HAProxy"
WITH_CURL = "… where libcurl is loaded already"


# The cases without `ust.enabled`: how long LTTng's library takes to register is not under
# tracekin's control.
BOUND = ("tracekin", WITH_OPENSSL, WITH_CURL)


def sizes(build):
    print("| library, stripped | kB | bound |\n|---|---|---|")
    for name in LIBRARIES:
        library = build / "lib" / name
        if library.exists():
            with tempfile.NamedTemporaryFile() as stripped:
                subprocess.run(["strip", "--strip-unneeded", "-o", stripped.name, library],
                               check=True)
                size = os.path.getsize(stripped.name) / 1000
                bound = bound_text(1500, "kB", [size]) if name == PLUGIN else ""
                print(f"| {name} | {size:,.0f} | {bound} |")


def cases(build):
    """Returns the arguments of load_benchmark, keyed by the case that they show."""
    def tracekin(ust):
        return [build / "lib/libtracekin_plugin.so", json.dumps({
            "service_name": "host", "exporter": {"endpoint": "http://127.0.0.1:1/"},
            "ust": {"enabled": ust}})]

    found = {
        "tracekin": tracekin(False),
        WITH_OPENSSL: [*tracekin(False), "libssl.so.3"],
        WITH_CURL: [*tracekin(False), "libcurl.so.4"],
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
    ran = subprocess.run([build / "benchmarks/load_benchmark", *arguments], check=True,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    return json.loads(ran.stdout)


def times(build, repetitions):
    commands = cases(build)
    runs = {name: [] for name in commands}
    for _ in range(repetitions):
        for name in random.sample(list(commands), len(commands)):
            runs[name].append(run(build, commands[name]))
    print("\n| ms, min / median | load | make a tracer | first span | all | CPU of all | bound |\n"
          "|---|---|---|---|---|---|---|")
    for name, results in runs.items():
        cells = [[result[part] for result in results]
                 for part in ("load", "make", "span", "all", "cpu")]
        middles = [(min(values), statistics.median(values)) for values in cells]
        bound = bound_text(5, "ms", middles[3], 1) if name in BOUND else ""
        print(f"| {name} | " + " | ".join(f"{low:.2f} / {middle:.2f}" for low,
                                          middle in middles) + f" | {bound} |")
    bare, with_curl = (statistics.median(run["all"] for run in runs[name])
                       for name in ("tracekin", WITH_CURL))
    print(f"\nOf the first line's {bare:.1f} ms the dynamic linker takes {bare - with_curl:.1f} "
          f"for libcurl and what that needs.")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    sizes(build)
    times(build, int(sys.argv[2]) if len(sys.argv) > 2 else 41)


if __name__ == "__main__":
    main()
