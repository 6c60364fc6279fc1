#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests Debian's HAProxy with the plugin under a steady load, while it is reloaded and its
collector stops and starts.

usage: soak_test.py [SECONDS]     20 by default
HAProxy's own watchdog kills a process whose threads hang. TRACEKIN_PLUGIN names the plugin's file.
Exits with 77 if HAProxy with the OpenTracing filter is not installed. Prints memory and counts.
"""

import collections
import http.server
import json
import os
import pathlib
import random
import re
import socket
import sys
import threading
import time

from haproxy import Edge, free_port, wait_for
from haproxy_test import reason_to_skip
from traffic import Load

RELOAD_S = 5
UP_S, DOWN_S = 4, 3


class Collector:
    """Counts the spans of each request. While it is down, its port refuses connections, and open
    connections are reset without an answer."""

    def __init__(self):
        self.port = free_port()
        self.spans = collections.Counter()
        self.outages = 0
        self.server = None

    def up(self):
        collector, connections = self, set()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                connections.add(self.connection)

            def do_POST(self):
                spans = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                collector.spans.update(span["tags"]["request"] for span in spans)
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # connections that were reset

        self.server = Server(("127.0.0.1", self.port), Handler)
        self.connections = connections
        threading.Thread(target=self.server.serve_forever, args=(0.05,)).start()

    def down(self):
        self.outages += 1
        self.server.shutdown()
        self.server.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended


def resident_megabytes(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s*(\d+)", status)[1]) / 1024


def workers(master):
    children = pathlib.Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return [int(child) for child in children]


def soak(edge, collector, seconds):
    """Returns the load and the most memory that a worker used."""
    load = Load(edge.port, connections=8)
    end = time.monotonic() + seconds
    next_reload, next_turn, most = time.monotonic() + RELOAD_S, time.monotonic() + UP_S, 0.0
    up = True
    while time.monotonic() < end:
        time.sleep(0.1)
        most = max([most, *map(resident_megabytes, workers(edge.haproxy.process.pid))])
        if time.monotonic() >= next_reload:
            edge.haproxy.reload()
            next_reload = time.monotonic() + RELOAD_S
        if time.monotonic() >= next_turn:
            (collector.down if up else collector.up)()
            up = not up
            next_turn = time.monotonic() + random.uniform(0.5, 1.5) * (UP_S if up else DOWN_S)
    if not up:
        collector.up()
    load.stop()
    return load, most


def check(edge, collector, load, seconds, most):
    requests = len(load.seen)
    # The last worker adopts the spool files of workers that have ended.
    wait_for(lambda: len(collector.spans) >= requests,
             f"{requests} spans; there are {len(collector.spans)}")
    edge.haproxy.stop()
    said = edge.haproxy.said()
    twice = sum(collector.spans.values()) - len(collector.spans)
    print(f"{seconds} s: {requests} requests, {len(load.errors)} failed; "
          f"{said.count('Loading success.') - 1} reloads, "
          f"{collector.outages} outages of the collector; {len(collector.spans)} spans arrived, "
          f"{twice} of them twice; "
          f"a worker had {most:.0f} MB at most")
    problems = list(load.errors)
    if collector.spans.keys() != load.seen.keys():
        problems.append("spans are not those of the requests")
    for word in ("dropped", "watchdog", "is about to kill", "exited with code"):
        if word in said.replace("exited with code 0", ""):
            problems.append(f"HAProxy said {word}:\n{said}")
    return problems


def main():
    reason = reason_to_skip()
    if reason:
        print(f"SKIPPED: {reason}")
        return 77
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    collector = Collector()
    collector.up()
    exporter = {"endpoint": f"http://127.0.0.1:{collector.port}/", "spool_path": "spool",
                "retry_max_backoff_ms": 1000,
                "spool_replay_spans_per_second": 100000}
    try:
        with Edge(os.environ["TRACEKIN_PLUGIN"],
                  {"service_name": "edge", "exporter": exporter}) as edge:
            edge.start()
            load, most = soak(edge, collector, seconds)
            problems = check(edge, collector, load, seconds, most)
    finally:
        collector.down()
    if problems:
        sys.exit("soak_test: " + "\nsoak_test: ".join(problems[:20]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
