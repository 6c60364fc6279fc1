#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what happens to a program's spans while the collector is unreachable, or when the program
is killed.

usage: outage_test.py [CASE...]     like unittest
TRACEKIN_LOAD names the program exporter_load, TRACEKIN_SCRIPTS the folder of scripts/zipkin.
TRACEKIN_OUTAGE_S is the length of the outage in seconds, 15 by default. Exits with 77 if a Zipkin
server cannot run.
"""

import glob
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import zipkin_server

LOAD = os.environ.get("TRACEKIN_LOAD", "")
OUTAGE_S = float(os.environ.get("TRACEKIN_OUTAGE_S", "15"))
RATE = 5000


class Sink(http.server.ThreadingHTTPServer):
    """A collector that recognises each span by its id and counts those that arrive again after it
    acknowledged them."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.server.take(json.loads(body)) if self.server.up else None
            self.send_response(202 if self.server.up else 503)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.up, self.ids, self.twice, self.lock = True, set(), 0, threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/api/v2/spans"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self, spans):
        with self.lock:
            for span in spans:
                self.twice += span["id"] in self.ids
                self.ids.add(span["id"])


class Program:
    """Runs exporter_load with a configuration, and with a separate folder for its spool and
    metrics."""

    def __init__(self, folder, endpoint, spool=True):
        self.folder = folder
        exporter = {"endpoint": endpoint, "metrics_path": folder + "/%p.prom",
                    "metrics_interval_ms": 100,
                    "retry_max_backoff_ms": 1000, "close_timeout_ms": 5000}
        if spool:
            exporter |= {"spool_path": folder + "/spool", "spool_replay_spans_per_second": 50000}
        self.environment = dict(os.environ, TRACEKIN_TEST_CONFIGURATION=json.dumps(
            {"service_name": "load", "exporter": exporter}))

    def start(self, rate, seconds, drain, children=0):
        return subprocess.Popen([LOAD, str(rate), str(seconds), str(drain), str(children)],
                                stdout=subprocess.PIPE, text=True, env=self.environment)

    def metrics(self, pid):
        """Returns the last metrics of a process, by counter."""
        text = pathlib.Path(f"{self.folder}/{pid}.prom").read_text()
        return {name + (reason or ""): int(value) for name, reason, value in
                re.findall(r'^tracekin_spans_(\w+)\{[^}]*?(?:,reason="(\w+)")?\} (\d+)$', text,
                           re.M)}

    def segments(self):
        return glob.glob(self.folder + "/spool/*.spool")


def counters(program):
    """Returns the lines of exporter_load, one per process."""
    lines = program.communicate(timeout=OUTAGE_S + 200)[0].splitlines()
    return [json.loads(line) for line in lines]


class Outage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tracekin-outage-")
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, ended):
        """Checks the equation of counters.h at a quiet moment, after Close()."""
        self.assertEqual(ended["queued"] + ended["in_flight"] + ended["open"], 0, ended)
        self.assertEqual(ended["started"] + ended["adopted"],
                         ended["unsampled"] + ended["spooled"] + ended["exported"]
                         + sum(ended["dropped"].values()), ended)

    def test_every_span_arrives_after_an_outage(self):
        with zipkin_server.Zipkin(COLLECTOR_SAMPLE_RATE="0") as zipkin:
            zipkin.up()
            zipkin.down("KILL")
            program = Program(self.folder, zipkin.url + "/api/v2/spans")
            load = program.start(RATE, OUTAGE_S + 10, 100)
            time.sleep(OUTAGE_S)
            self.assertTrue(program.segments())
            zipkin.up()
            [ended] = counters(load)
            self.check(ended)
            self.assertGreater(ended["started"], RATE * OUTAGE_S)
            self.assertEqual(ended["exported"], ended["started"])
            self.assertEqual(zipkin.spans(), ended["started"], "nothing was sent twice")
            self.assertEqual(os.listdir(self.folder + "/spool"), [])

    def test_a_killed_program_loses_what_was_in_memory_at_most(self):
        with zipkin_server.Zipkin(COLLECTOR_SAMPLE_RATE="0") as zipkin:
            zipkin.up()
            zipkin.down("KILL")
            program = Program(self.folder, zipkin.url + "/api/v2/spans")
            load = program.start(RATE, 600, 0)
            time.sleep(OUTAGE_S / 2)
            load.kill()
            load.communicate()
            told = program.metrics(load.pid)
            zipkin.up()
            [ended] = counters(program.start(0, 1, 100))
            self.check(ended)
            print(f"when it was killed: {told}; adopted by the next: {ended['adopted']}")
            self.assertEqual(ended["exported"], ended["adopted"])
            self.assertEqual(zipkin.spans(), ended["adopted"])
            self.assertGreaterEqual(ended["adopted"], told["spooled"])
            # The metrics may be up to two intervals of 100 ms old.
            in_memory = told["queued"] + told["in_flight"] + told["open"]
            self.assertLessEqual(told["started_total"] - ended["adopted"], in_memory)
            self.assertLess(in_memory, 3000)
            self.assertEqual(os.listdir(self.folder + "/spool"), [])

    def test_a_server_that_is_stopped_for_a_while_costs_no_span(self):
        with zipkin_server.Zipkin(COLLECTOR_SAMPLE_RATE="0") as zipkin:
            zipkin.up()
            program = Program(self.folder, zipkin.url + "/api/v2/spans")
            load = program.start(RATE, 15, 100)
            time.sleep(3)
            zipkin.signal(signal.SIGSTOP)
            time.sleep(8)  # longer than a request may take
            zipkin.signal(signal.SIGCONT)
            [ended] = counters(load)
            self.check(ended)
            self.assertEqual(ended["exported"], ended["started"])
            # Requests whose answer was late may have been accepted.
            self.assertGreaterEqual(zipkin.spans(), ended["started"])
            print(f"{zipkin.spans() - ended['started']:.0f} spans were taken, but not acknowledged "
                  f"in time")

    @unittest.skipIf(os.environ.get("TRACEKIN_SANITIZE"),
                     "sanitizers do not bear forks of many threads")
    def test_the_children_of_a_prefork_server_each_keep_their_own_account(self):
        sink = Sink()
        program = Program(self.folder, sink.url)
        load = program.start(1000, 10, 60, children=4)
        time.sleep(2)
        sink.up = False
        time.sleep(2)
        children = pathlib.Path(f"/proc/{load.pid}/task/{load.pid}/children").read_text().split()
        self.assertEqual(len(children), 4)
        killed = [int(pid) for pid in children[:2]]
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        time.sleep(2)
        sink.up = True
        ended = counters(load)
        self.assertEqual(len(ended), 3)  # two children and the parent
        for process in ended:
            self.check(process)
            self.assertEqual(sum(process["dropped"].values()), 0, process)
        told = [program.metrics(pid) for pid in killed]
        self.assertEqual(sink.twice, 0)
        # The metrics show which other spans the killed processes had sent, up to 100 ms before
        # their end.
        known = sum(process["exported"] for process in ended) + sum(
            process["exported_total"] for process in told)
        print(f"{len(sink.ids)} spans arrived, {known} of them are accounted for")
        self.assertGreaterEqual(len(sink.ids), known)
        self.assertLess(len(sink.ids) - known, 1000)
        self.assertGreater(sum(process["adopted"] for process in ended), 1000)
        sink.shutdown()


if __name__ == "__main__":
    REASON = zipkin_server.reason_to_skip()
    if REASON:
        print("SKIPPED:", REASON)
        sys.exit(77)
    unittest.main()
