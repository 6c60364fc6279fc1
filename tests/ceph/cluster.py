# SPDX-License-Identifier: Apache-2.0
"""A real Ceph cluster, relays before its OSD, and clients that connect through them."""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "ceph"
RELAY = os.environ.get("TRACEKIN_CEPH_RELAY", "")
REDIRECT = os.environ.get("TRACEKIN_CEPH_RELAY_REDIRECT", "")


def reason_to_skip():
    for program in ("ceph", "ceph-mon", "ceph-osd", "rados", "rbd"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if os.geteuid() != 0:
        return "Ceph's daemons must be started as root"
    return None


def run(args, **more):
    """Runs a command to its end and returns its output. Fails if the command fails."""
    done = subprocess.run(args, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, **more)
    if done.returncode != 0:
        raise AssertionError(f"{args}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.conf = run([SCRIPT, "up", folder]).strip()
        self.osd = run([SCRIPT, "osd", folder]).strip()

    def stop(self):
        run([SCRIPT, "down", self.folder])

    def command(self, program, *arguments, through=None):
        """Returns arguments for subprocess: a command of rados or rbd on the pool, `through` a
        relay or directly."""
        environment = dict(os.environ)
        if through is not None:
            environment |= {"LD_PRELOAD": REDIRECT,
                            "CEPH_RELAY_MAP": f"{self.osd}={through.address}"}
        return {"args": [program, "-c", self.conf, "-p", "tracekin", *map(str, arguments)],
                "env": environment}

    def client(self, *command, **way):
        """Runs a client to its end and returns its output."""
        return run(**self.command(*command, **way))

    def start(self, *command, **way):
        return subprocess.Popen(**self.command(*command, **way), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


# For one direction of a connection: bytes and hash of what the relay received and of what it sent.
Digests = collections.namedtuple("Digests", "arrived went_on")


class Relay:
    """A relay. Once it is stopped, it has `counts`, `spans` by id, and `digests` by sender."""

    def __init__(self, name, folder, target, stamp=True, listen="127.0.0.1:0"):
        self.files = {each: folder / f"{name}.{each}" for each in ("log", "json", "digest")}
        command = [RELAY, "--digest", self.files["digest"], f"{listen}={target}"]
        if not stamp:
            command.insert(1, "--no-stamp")
        environment = os.environ | {
            "TRACEKIN_SERVICE_NAME": name, "TRACEKIN_EXPORTER_TYPE": "file",
            "TRACEKIN_EXPORTER_PATH": str(self.files["json"]), "TRACEKIN_TRACE_ID_BITS": "64"}
        with open(self.files["log"], "w") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not self.printed():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("the relay does not start: " + self.files["log"].read_text())
            time.sleep(0.02)
        self.address = self.printed()[0].partition("=")[0]

    def printed(self):
        """Returns the complete lines that the relay itself printed, without the tracer's log."""
        lines = self.files["log"].read_text().splitlines(keepends=True)
        return [line for line in lines if " tracekin[" not in line and line.endswith("\n")]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        if self.process.wait(timeout=30) != 0:
            raise AssertionError("the relay failed: " + self.files["log"].read_text())
        self.counts = {key: int(value) for key, value in map(str.split, self.printed()[1:])}
        self.spans = {}
        if self.files["json"].exists():
            for line in self.files["json"].read_text().splitlines():
                span = json.loads(line)
                self.spans[span["id"]] = span
        self.digests = {"client": [], "osd": []}
        for line in self.files["digest"].read_text().splitlines():
            side, _, *arrived, _, bytes_on, hash_on = line.split()
            self.digests[side].append(Digests(tuple(arrived), (bytes_on, hash_on)))
