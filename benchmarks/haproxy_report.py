#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads HAProxy with several OpenTracing plugins, in turns, and prints tables for
docs/performance.md.

usage: haproxy_report.py BUILD-FOLDER [ROUNDS]

Each state has its own HAProxy, which is idle until its turn. In a round each serves wrk's requests
for one second, in random order, and is compared with the others of that round. A HAProxy shares one
processor only with its tracer's threads, so its request rate includes the cost of all their work.
wrk, the service and the sink share the other processors. New processes replace these after some
rounds, because where a process lies in memory affects its speed as well.
"""
import contextlib
import json
import operator
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ROOT / "benchmarks/haproxy"
sys.path.insert(0, str(ROOT / "tests/haproxy"))
from haproxy import PROGRAM, free_port, wait_for
from bounds import bound_text
from pairs import interval_text
from processes import cpu_seconds
from report import cpu_model, version

BARE, AGAIN = "no filter", "no filter, a second process"
NOOP = "a plugin that does nothing"
HEADERS = "… but send two headers"
NEVER, ONE_PERCENT, TEN_PERCENT, ALWAYS = (f"tracekin, {rate} %" for rate in (0, 1, 10, 100))
NEVER_B3 = "tracekin, 0 %, one header"
DATADOG = "dd-opentracing, 100 %, four headers"
DATADOG_PLUGIN = next(pathlib.Path("/usr/lib").glob("*/libdd_opentracing_plugin.so"), None)
# The same number of headers as tracekin's, with the same lengths.
TWO_HEADERS = """b3: 463ac35c9f6413ad48485a3953bb6124-a2fb4a1d1a96d312-1
traceparent: 00-463ac35c9f6413ad48485a3953bb6124-a2fb4a1d1a96d312-01
"""
CONNECTIONS = 16
ROUNDS_OF_A_PROCESS = 6


class State:
    """A plugin and its configuration. `sampled` lists the decisions that the service may see."""

    def __init__(self, plugin=None, configuration="", sampled=("",), flush_seconds=0.1):
        self.plugin, self.configuration = plugin, configuration
        self.sampled, self.flush_seconds = sampled, flush_seconds


def states(build, sink):
    """Returns the states by name. dd-opentracing sends its spans once per second, to the sink
    instead of its agent."""
    def tracekin(rate, sampled, **more):
        return State(build / "lib/libtracekin_plugin.so", json.dumps({
            "service_name": "edge", "sampler": {"type": "probabilistic", "rate": rate},
            "exporter": {"endpoint": sink}, **more}), sampled)

    noop = build / "benchmarks/noop_plugin.so"
    one_header = {"propagation": {"inject": ["b3"]}}
    found = {
        BARE: State(),
        AGAIN: State(),
        NOOP: State(noop),
        HEADERS: State(noop, TWO_HEADERS, ["1"]),
        NEVER: tracekin(0, ["0"]),
        ONE_PERCENT: tracekin(0.01, ["0", "1"]),
        TEN_PERCENT: tracekin(0.1, ["0", "1"]),
        ALWAYS: tracekin(1, ["1"]),
        NEVER_B3: tracekin(0, ["0"], **one_header),
        "tracekin, 100 %, one header": tracekin(1, ["1"], **one_header),
    }
    if DATADOG_PLUGIN:
        found[DATADOG] = State(DATADOG_PLUGIN, json.dumps({
            "service": "edge", "agent_host": "127.0.0.1",
            "agent_port": int(re.search(r":(\d+)/", sink)[1]),
            "propagation_style_inject": ["B3"], "propagation_style_extract": ["B3"]}), ["1"],
                               flush_seconds=1)
    return found


class Process:
    """A program in its own folder, on some of the processors; a context manager that ends it."""

    def __init__(self, command, processors, folder, **environment):
        folder.mkdir(exist_ok=True)
        self.log = folder / "log"
        with open(self.log, "w") as said:
            self.process = subprocess.Popen(
                command, cwd=folder, env=os.environ | environment, stdout=said, stderr=said,
                stdin=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, processors))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def said(self):
        return self.log.read_text(errors="replace")

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)


class Proxy(Process):
    """A HAProxy in one state. `under` is a command that runs it."""

    def __init__(self, state, processors, folder, service, under=()):
        self.state, self.port = state, free_port()
        folder.mkdir()
        environment = {"EDGE_PORT": str(self.port), "SERVICE": service}
        if state.plugin:
            (folder / "plugin.so").symlink_to(state.plugin)
            (folder / "tracer").write_text(state.configuration)
            environment["OT_CONFIG"] = str(FILES / "ot.cfg")
        super().__init__([*under, PROGRAM, "-db", "-f", FILES / "haproxy.cfg"], processors, folder,
                         **environment)

    def check(self):
        """Waits until HAProxy answers and checks that the service got the headers of this state."""
        sampled = wait_for(self.decision, "answer of HAProxy")["sampled"]
        if sampled not in self.state.sampled:
            raise AssertionError(f"the service saw the decision '{sampled}', not one of "
                                 f"{self.state.sampled}")

    def decision(self):
        if self.process.poll() is not None:
            raise AssertionError(f"HAProxy does not start:\n{self.said()}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/sampled",
                                        timeout=5) as answer:
                return {"sampled": answer.read().decode()}
        except OSError:
            return None

    def load(self, processors):
        """Runs one second of requests, then waits until the recorded spans are sent."""
        before = self.cpu_seconds()
        ran = subprocess.run(
            ["wrk", "-t1", f"-c{CONNECTIONS}", "-d1s", "--timeout=60s",
             f"http://127.0.0.1:{self.port}/"], check=True,
            stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, processors))
        busy = self.cpu_seconds() - before
        time.sleep(1.5 * self.state.flush_seconds)
        if "Socket errors" in ran.stdout or "Non-2xx" in ran.stdout:
            raise AssertionError(f"requests failed:\n{ran.stdout}")
        count, seconds = re.search(r"(\d+) requests in ([\d.]+)s", ran.stdout).groups()
        return {"rate": float(re.search(r"Requests/sec: +([\d.]+)", ran.stdout)[1]),
                "cpu_us": 1e6 * (self.cpu_seconds() - before) / int(count),
                "busy": busy / float(seconds)}


class Bench:
    """The HAProxy of each state, the processes around them, and the measured results."""

    def __init__(self, build, folder, stack):
        self.folder = folder
        first, *others = sorted(os.sched_getaffinity(0))
        self.proxys, self.others = {first}, set(others) or {first}
        sink = stack.enter_context(Process([build / "benchmarks/exporter_sink"], self.others,
                                           folder / "sink"))
        self.service = str(folder / "service.sock")
        stack.enter_context(Process([PROGRAM, "-db", "-f", FILES / "service.cfg"], self.others,
                                    folder / "service",
                                    SERVICE=self.service))
        self.states = states(build, wait_for(sink.said, "port of the sink").strip())
        self.runs = {name: [] for name in self.states}

    def start(self, name, folder, stack, under=()):
        proxy = Proxy(self.states[name], self.proxys, folder, self.service, under)
        stack.enter_context(proxy)
        proxy.check()
        return proxy

    def run(self, rounds):
        """Runs the rounds with new processes, after a first round that does not count."""
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=self.folder))
            proxies = {name: self.start(name, pathlib.Path(folder, str(i)), stack)
                       for i, name in enumerate(self.states)}
            for turn in range(rounds + 1):
                for name in random.sample(list(proxies), len(proxies)):
                    result = proxies[name].load(self.others)
                    if turn > 0:
                        self.runs[name].append(result)
            for proxy in proxies.values():
                # Any line but the first, for example about dropped spans.
                if re.search(r" tracekin\[\d+\] edge: (?!version )", proxy.said()):
                    raise AssertionError(proxy.said())

    def middle(self, key, state):
        return statistics.median(run[key] for run in self.runs[state])

    def differences(self, how, key, *names):
        """Returns the result of `how` for these states' values in each round."""
        return [how(*(run[key] for run in runs))
                for runs in zip(*(self.runs[name] for name in names))]


def more(one, other):
    return 100 * (one / other - 1)


def fewer(one, other):
    """Returns by how many percent fewer requests fit into the same time."""
    return more(other, one)


def table(bench):
    print("| state | requests/s | … against no filter, % | busy, % | CPU a request, µs | … beyond "
          "no filter | "
          "… beyond a plugin that does nothing |\n|---|---|---|---|---|---|---|")
    for name in bench.states:
        cells = [interval_text(bench.differences(how, key, name, base), form) if name != base
                 else ""
                 for how, key, base, form in ((more, "rate", BARE, "+.1f"),
                                              (operator.sub, "cpu_us", BARE, "+.2f"),
                                              (operator.sub, "cpu_us", NOOP, "+.2f"))]
        print(f"| {name} | {bench.middle('rate', name):,.0f} | {cells[0]} | "
              f"{100 * bench.middle('busy', name):.0f} | "
              f"{bench.middle('cpu_us', name):.1f} | {cells[1]} | {cells[2]} |")


def questions(bench):
    print("\n| question | answer | bound, by median |\n|---|---|---|")
    for ours, base, words, limit in ((NEVER, NOOP, "a plugin that does nothing", -6),
                                     (NEVER, HEADERS, "one that sends two headers", -2),
                                     (NEVER_B3, NOOP, "a plugin that does nothing", -3)):
        for question, how, key in ((f"requests/s of {ours}, against {words}, %", more, "rate"),
                                   ("the same by CPU a request", fewer, "cpu_us")):
            differences = bench.differences(how, key, ours, base)
            bound = bound_text(limit, "%", [statistics.median(differences)], 1, at_least=True)
            print(f"| {question} | {interval_text(differences)} | {bound} |")
    if DATADOG in bench.states:
        for base, words in ((BARE, "no filter"), (NOOP, "a plugin that does nothing")):
            times = bench.differences(lambda theirs, ours,
                                      without: (theirs - without) / (ours - without), "cpu_us",
                                      DATADOG, ALWAYS, base)
            bound = bound_text(2, "×", [statistics.median(times)], 1, at_least=True)
            print(f"| CPU beyond {words}: dd-opentracing's by tracekin's, 100 % | "
                  f"{interval_text(times, '.1f')} | {bound} |")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tracekin-bench-"))
        bench = Bench(build, pathlib.Path(folder), stack)
        for done in range(0, rounds, ROUNDS_OF_A_PROCESS):
            bench.run(min(ROUNDS_OF_A_PROCESS, rounds - done))
    print(f"{cpu_model()}, {os.cpu_count()} processors, Linux {platform.release()}; HAProxy "
          f"{version('haproxy')}, "
          f"wrk {version('wrk')}, dd-opentracing {version('libdd-opentracing0')}; {rounds} "
          f"rounds.\n")
    table(bench)
    questions(bench)


if __name__ == "__main__":
    main()
