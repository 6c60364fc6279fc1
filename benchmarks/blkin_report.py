#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures tables 7.3 to 7.5 of BlkKin's thesis again and prints them as Markdown: its ping-pong
with LTTng and with syslog, and the size of its messages.

usage: scripts/with-lttng benchmarks/blkin_report.py FOLDER-OF-THE-PROGRAMS REPETITIONS
"""

import json
import os
import pathlib
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading

ITERATIONS = 10_000
EVENTS = 4 * ITERATIONS
HERE = pathlib.Path(__file__).resolve().parent


def lttng(*arguments):
    return subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


class Session:
    """An LTTng session that records BlkKin's events, with the defaults of `lttng create`."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        lttng("create", "bench", "--output", self.folder.name)
        lttng("enable-event", "--userspace", "zipkin:*")
        lttng("start")
        return self

    def __exit__(self, *_):
        if "discarded" in lttng("destroy", "bench"):
            sys.exit("blkin_report: LTTng discarded events, so the times are invalid")
        self.content, self.events = 0, 0
        for stream in pathlib.Path(self.folder.name).rglob("*channel0_[0-9]*"):
            if stream.parent.name != "index":
                self.read(stream.read_bytes())
        self.folder.cleanup()

    # The header of a packet, without padding: magic u32, UUID, stream u32, stream instance u64;
    # then, each as u64, the times of begin and end, the sizes of the content and of the packet in
    # bits, the packet's number and the count of discarded events; CPU u32.
    HEADER = struct.Struct("=I16sIQQQQQQQI")

    def read(self, stream):
        at = 0
        while at < len(stream):
            fields = self.HEADER.unpack_from(stream, at)
            content, packet = fields[6] // 8, fields[7] // 8
            if content > self.HEADER.size:
                self.content += content
                self.events += content - self.HEADER.size
            at += packet


def ping_pong(*way):
    """Returns a command line. Its two processes take turns, so they share one processor and leave
    the others to the daemons."""
    return ["taskset", "-c", "0", PROGRAMS / "blkin_ping_pong", str(ITERATIONS), *way]


def milliseconds(command, **how):
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, **how)
    if ran.returncode != 0:
        sys.exit(ran.stdout or ran.returncode)
    return int(ran.stdout) / 1e6


def measure_lttng():
    with Session() as session:
        time = milliseconds(ping_pong())
    if session.events < 60 * EVENTS:
        sys.exit(f"blkin_report: {EVENTS} events are missing from {session.events} bytes of the "
                 f"trace")
    return time


def measure_syslog():
    with tempfile.TemporaryDirectory() as folder:
        time = milliseconds([HERE / "with-syslog", folder, *ping_pong("syslog")],
                            stderr=subprocess.DEVNULL)
        written = pathlib.Path(folder, "syslog").read_text().count(" ping_pong: ")
        if written != EVENTS:
            sys.exit(f"blkin_report: syslog has {written} of {EVENTS} events")
    return time


def spread(values, form="{:.0f}"):
    return " / ".join(form.format(value)
                      for value in (min(values), statistics.median(values), max(values)))


def report_ping_pong(repetitions):
    bare, traced, logged = [], [], []
    for _ in range(repetitions):  # interleaved, because the machine's speed varies
        bare.append(milliseconds(ping_pong("nothing")))
        traced.append(measure_lttng())
        logged.append(measure_syslog())
    print(f"Ping-pong, {ITERATIONS} iterations with four events each, {repetitions} runs; minimum "
          f"/ median / maximum:"
          "\n")
    print("| | ms | ns an event, by minima / by medians | the thesis, ms |")
    print("|---|---|---|---|")
    for name, times, thesis in (("no events", bare, ""), ("LTTng, by BlkKin's API", traced, "1800"),
                                ("syslog, Debian's rsyslogd", logged, "3380")):
        added = " / ".join(f"{(of(times) - of(bare)) * 1e6 / EVENTS:.0f}"
                           for of in (min, statistics.median))
        print(f"| {name} | {spread(times)} | {added} | {thesis} |")
    whole = [log / trace for trace, log in zip(traced, logged)]
    events = (min(logged) - min(bare)) / (min(traced) - min(bare))
    print(f"\nsyslog takes {spread(whole, '{:.1f}')} times as long as LTTng, all in all (the "
          f"thesis: 1.9 times)."
          f"\nBy the minima, an event costs {events:.0f} times as much.\n")


class Server:
    """Accepts one connection after another, counts the bytes received and answers each request."""

    def __init__(self, answer):
        self.answer = answer
        self.received = 0
        self.bodies = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            with connection:
                self.answer(self, connection)

    def read(self, connection, data, size):
        while len(data) < size:
            more = connection.recv(65536)
            if not more:
                return None
            self.received += len(more)
            data += more
        return data

    def http(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            data = self.read(connection, data, len(data) + 1)
            if data is None:
                return
        head = data.split(b"\r\n\r\n")[0]
        size = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length"))
        self.bodies += size
        self.read(connection, data, len(head) + 4 + size)
        connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: "
                           b"close\r\n\r\n")

    def scribe(self, connection):
        data = b""
        while True:
            data = self.read(connection, data, 4)
            if data is None:
                return
            size = struct.unpack_from(">I", data)[0]
            data = self.read(connection, data, 4 + size)
            self.bodies += size + 4
            sequence = data[12:16]
            result = b"\x08\x00\x00\x00\x00\x00\x00\x00"
            answer = struct.pack(">I", 3) + b"Log\x02" + sequence + result
            connection.sendall(struct.pack(">I", len(answer)) + answer)
            data = data[4 + size:]


def send(server, endpoint, form, count, *how):
    """Returns the bytes that arrived for the messages: the TCP payload, and the bodies alone."""
    environment = dict(os.environ, TRACEKIN_EXPORTER_ENDPOINT=endpoint.format(server.port),
                       TRACEKIN_TRACE_ID_BITS="64",
                       TRACEKIN_EXPORTER_FORMAT=form)
    subprocess.run([PROGRAMS / "blkin_messages", str(count), *how], check=True, env=environment)
    return server.received, server.bodies


def ctf(count, *how):
    with Session() as session:
        subprocess.run([PROGRAMS / "blkin_messages", str(count), *how], check=True)
    return session.content, session.events


def report_bytes():
    v2 = "http://127.0.0.1:{}/api/v2/spans"
    scribe = "scribe://127.0.0.1:{}"
    rows = [("Thrift, Scribe", lambda *what: send(Server(Server.scribe), scribe, "thrift", *what),
             "246", "1974"),
            ("JSON, HTTP", lambda *what: send(Server(Server.http), v2, "json", *what), "316", ""),
            ("proto3, HTTP", lambda *what: send(Server(Server.http), v2, "proto3", *what), "", ""),
            ("CTF, LTTng's packets", ctf, "", "1079")]
    print("The thesis's message, bytes on the wire and, in brackets, without the headers of HTTP "
          "or of a packet:\n")
    print("| | one | ten, a span each | ten of one span | the thesis: one | ten |")
    print("|---|---|---|---|---|---|")
    for name, measure, one, ten in rows:
        cells = ["{} ({})".format(*measure(*what)) for what in ((1,), (10,), (10, "one"))]
        print("|", " | ".join([name, *cells, one, ten]), "|")


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
    report_ping_pong(int(sys.argv[2]))
    report_bytes()
