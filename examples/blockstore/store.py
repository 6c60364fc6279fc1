# SPDX-License-Identifier: Apache-2.0
"""Starts the processes of examples/blockstore, restarts them when they die, and ends them."""

import itertools
import os
import pathlib
import signal
import subprocess
import threading
import time

PEERS = ("vlmc", "mapper", "store")
numbers = itertools.count()  # numbers the devices of this process


class Blockstore:
    """A block device at `uri`; a context manager. Peers and nbdkit are restarted when they die.

    `programs` is the folder of the built programs. `folder` receives the objects, the map and the
    output of the processes. If `ceph_conf` names a cluster, its pool `tracekin` receives the
    objects instead. `environment` is added to the environment of the processes. A process whose
    exporter has no endpoint there writes its spans to FOLDER/NAME.json.
    """

    def __init__(self, programs, folder, ceph_conf=None, size="1G", object_size=4 << 20,
                 environment=()):
        self.programs = pathlib.Path(programs)
        self.folder = pathlib.Path(folder)
        self.segment = f"/blockstore-{os.getpid()}-{next(numbers)}"
        self.socket = self.folder / "nbd.sock"
        self.environment = dict(os.environ, **dict(environment))
        store = ["radosd", self.segment, ceph_conf, "tracekin"]
        if ceph_conf is None:
            store = ["filed", self.segment, self.folder / "objects"]
        self.commands = {
            "vlmc": ["vlmc", self.segment],
            "mapper": ["mapper", self.segment, self.folder / "map", str(object_size)],
            "store": store,
            "nbd": ["nbdkit", "-f", "-U", self.socket, self.programs / "blockstore.so",
                    f"segment={self.segment}", f"size={size}"],
        }
        self.running, self.restarts, self.keepers = {}, dict.fromkeys(self.commands, 0), []
        self.stopping = set()

    @property
    def uri(self):
        return f"nbd+unix:///?socket={self.socket}"

    def __enter__(self):
        (self.folder / "objects").mkdir(parents=True, exist_ok=True)
        for name in self.commands:
            self.start(name)
        deadline = time.monotonic() + 20
        while not self.socket.exists():
            if time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError(f"nbdkit does not start; see {self.folder}/nbd.log")
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        for name in ("nbd", *PEERS):  # callers end before the processes that they call
            self.stop(name)
        for keeper in self.keepers:
            keeper.join()
        pathlib.Path("/dev/shm" + self.segment).unlink(missing_ok=True)

    def start(self, name):
        started = threading.Event()
        keeper = threading.Thread(target=self.keep, args=(name, started), daemon=True)
        self.keepers.append(keeper)
        keeper.start()
        started.wait()

    def keep(self, name, started):
        command, *arguments = self.commands[name]
        if command != "nbdkit":
            command = self.programs / command
        environment = dict(self.environment)
        if "TRACEKIN_EXPORTER_ENDPOINT" not in environment:
            environment["TRACEKIN_EXPORTER_TYPE"] = "file"
            environment["TRACEKIN_EXPORTER_PATH"] = str(self.folder / f"{name}.json")
        while name not in self.stopping:
            if name == "nbd":
                self.socket.unlink(missing_ok=True)
            with open(self.folder / f"{name}.log", "ab") as log:
                process = subprocess.Popen([command, *arguments], stdout=log, stderr=log,
                                           env=environment)
            self.running[name] = process
            started.set()
            process.wait()
            self.restarts[name] += 1
            time.sleep(0.02)

    def stop(self, name):
        self.stopping.add(name)
        process = self.running.get(name)
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()

    def kill(self, name):
        """Kills the process with SIGKILL and returns when it runs again."""
        killed = self.running[name]
        killed.kill()
        while self.running[name] is killed:
            time.sleep(0.01)
