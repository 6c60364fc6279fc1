# SPDX-License-Identifier: Apache-2.0
"""HAProxy processes for the tests: the one with the plugin, and the service behind it."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin")  # or None


def wait_for(condition, what, seconds=60):
    """Returns the first result of `condition` that is true."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s still no {what}")
        time.sleep(0.02)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Haproxy:
    """A HAProxy in master-worker mode, with its files in its own folder."""

    def __init__(self, name, folder, ports):
        self.folder = folder
        self.log = folder / f"{name}.log"
        self.command = [PROGRAM, "-W", "-f", str(HERE / f"{name}.cfg")]
        self.environment = os.environ | {"RUN_DIR": str(folder)} | ports
        self.process = None

    def run(self):
        """Runs HAProxy when it should end by itself. Returns its status and its output."""
        done = subprocess.run(self.command, cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout

    def start(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.command, cwd=self.folder, env=self.environment,
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.await_workers(1)

    def said(self):
        return self.log.read_text(errors="replace")

    def complaints(self):
        """Returns the lines of tracekin except for those that say what it was configured to do."""
        return [line for line in self.said().splitlines()
                if re.search(r" tracekin\[\d+\]", line) and ": version " not in line]

    def await_workers(self, count):
        """Waits until `count` workers have been started in total."""
        def loaded():
            if self.process.poll() is not None:
                raise AssertionError(f"HAProxy ended with {self.process.returncode}:\n"
                                     f"{self.said()}")
            return self.said().count("Loading success.") >= count and self.takes_signals()
        wait_for(loaded, f"worker {count}")

    def takes_signals(self):
        """Returns False while the master executes itself again, because signals are lost then."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        caught = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
        blocked = int(re.search(r"SigBlk:\s*(\w+)", status)[1], 16)
        return caught >> (signal.SIGUSR2 - 1) & 1 and not blocked

    def reload(self):
        """Replaces the worker. The old worker continues with its requests."""
        before = self.said().count("Loading success.")
        self.process.send_signal(signal.SIGUSR2)
        self.await_workers(before + 1)

    def stop(self):
        """Ends HAProxy when the current requests are done."""
        self.process.send_signal(signal.SIGUSR1)
        self.process.wait(60)

    def kill(self):
        """Ends HAProxy and its workers immediately."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)


class Edge:
    """A folder with a traced HAProxy and the service behind it; a context manager.

    `settings` are more lines for the global section of the traced HAProxy.
    """

    def __init__(self, plugin, configuration, settings=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tracekin-haproxy-"))
        self.spans_path = self.folder / "spans.json"
        os.symlink(plugin, self.folder / "tracekin_plugin.so")
        shutil.copy(HERE / "ot.cfg", self.folder)
        text = configuration if isinstance(configuration, str) else json.dumps(configuration)
        (self.folder / "tracekin.json").write_text(text)
        self.port = free_port()
        ports = {"EDGE_PORT": str(self.port), "ECHO_PORT": str(free_port())}
        self.haproxy = Haproxy("edge", self.folder, ports)
        more = self.folder / "more.cfg"
        more.write_text("\n ".join(["global", *settings]) + "\n")
        self.haproxy.command += ["-f", str(more)]
        self.echo = Haproxy("echo", self.folder, ports)

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        self.haproxy.kill()
        self.echo.kill()
        if failed and self.haproxy.log.exists():
            print(self.haproxy.said())
        shutil.rmtree(self.folder)

    def start(self):
        self.echo.start()
        self.haproxy.start()

    def spans(self):
        """Returns the spans of the file exporter, keyed by their request."""
        spans = [json.loads(line) for line in self.spans_path.read_text().splitlines()]
        by_request = {span["tags"]["request"]: span for span in spans}
        assert len(by_request) == len(spans), "two spans are of one request"
        return by_request
