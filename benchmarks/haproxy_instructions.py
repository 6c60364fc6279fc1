#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that HAProxy executes per request with several plugins, using Valgrind's
callgrind.

usage: haproxy_instructions.py BUILD-FOLDER

The states are those of haproxy_report.py, without the sampling rates in between. Other programs on
the machine do not disturb this count, so it resolves differences that times cannot show. It does
not include the kernel's instructions, nor those of the exporters' threads, which have little to do
here because HAProxy serves few requests per second under callgrind.
"""
import contextlib
import http.client
import pathlib
import re
import subprocess
import sys
import tempfile

from haproxy_report import AGAIN, BARE, ONE_PERCENT, TEN_PERCENT, Bench

REQUESTS = 500
CALLGRIND = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
             "--callgrind-out-file=callgrind"]


def request(proxy, count):
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
    for _ in range(count):
        connection.request("GET", "/")
        connection.getresponse().read()
    connection.close()


def instrument(proxy, switch):
    subprocess.run(["callgrind_control", f"--instr={switch}", str(proxy.process.pid)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def count(proxy, folder):
    """Returns the instructions per request of the thread that serves them."""
    request(proxy, 100)
    instrument(proxy, "on")
    request(proxy, REQUESTS)
    instrument(proxy, "off")
    proxy.process.terminate()
    proxy.process.wait()
    return int(re.search(r"^totals: (\d+)", (folder / "callgrind-01").read_text(),
                         re.MULTILINE)[1]) / REQUESTS


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    print("| state | instructions a request | … beyond no filter |\n|---|---|---|")
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tracekin-bench-"))
        bench = Bench(build, pathlib.Path(folder), stack)
        counts = {}
        for name in bench.states.keys() - {AGAIN, ONE_PERCENT, TEN_PERCENT}:
            own_folder = pathlib.Path(folder, str(len(counts)))
            counts[name] = count(bench.start(name, own_folder, stack, CALLGRIND), own_folder)
        for name in filter(counts.get, bench.states):
            print(f"| {name} | {counts[name]:,.0f} | {counts[name] - counts[BARE]:,.0f} |")


if __name__ == "__main__":
    main()
