#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests examples/blockstore while its processes are killed.

usage: kill_test.py EXAMPLES PROGRAMS OnFiles|OnCeph
"""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

EXAMPLES, PROGRAMS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
CEPH = EXAMPLES.parent / "scripts/ceph"
sys.path.insert(0, str(EXAMPLES / "blockstore"))
from store import PEERS, Blockstore

BLOCK = 16384


def spans(folder, name):
    """Returns the spans that the exporter of a process has written. A killed process may have left
    a partial line."""
    found = {}
    for line in (folder / f"{name}.json").read_text().splitlines():
        try:
            span = json.loads(line)
        except ValueError:
            continue
        found[span["id"]] = span
    return found


class Killing(unittest.TestCase):
    CEPH_CONF = None
    BETWEEN = 0.15  # seconds between kills
    RATE = 1500

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="blockstore-"))
        self.addCleanup(shutil.rmtree, self.folder)
        # Small objects make many requests span two objects.
        self.store = Blockstore(PROGRAMS, self.folder, self.CEPH_CONF, size="64M",
                                object_size=40960)

    def fio(self):
        """Writes every block in random order, then reads and checks all blocks."""
        return subprocess.Popen(
            ["fio", "--name=kill", "--ioengine=nbd", f"--uri={self.store.uri}", "--rw=randwrite",
             f"--bs={BLOCK}", "--size=64m", "--iodepth=8", f"--rate_iops={self.RATE}",
             "--verify=crc32c", "--verify_fatal=1", "--output", self.folder / "fio.log"],
            cwd=self.folder)

    def kill_under_fio(self, names):
        """Kills the processes in turn until fio ends. Returns how often each was killed."""
        kills = dict.fromkeys(self.store.commands, 0)
        with self.store:
            fio = self.fio()
            for turn in range(10**6):
                if fio.poll() is not None:
                    break
                name = names[turn % len(names)]
                self.store.kill(name)
                kills[name] += 1
                time.sleep(self.BETWEEN)
            restarts = dict(self.store.restarts)
        self.assertEqual(fio.returncode, 0, (self.folder / "fio.log").read_text())
        self.assertEqual(restarts, kills, "processes that nobody killed have ended")
        return kills

    def expect_nothing_lost(self):
        kills = self.kill_under_fio(PEERS)
        print("killed:", kills)
        self.assertTrue(all(kills[peer] > 3 for peer in PEERS))


class OnFiles(Killing):
    def test_nothing_acknowledged_is_lost_with_a_peer(self):
        self.expect_nothing_lost()

    def test_spans_say_where_requests_ended(self):
        self.kill_under_fio(["store"])
        volume = spans(self.folder, "vlmc")
        again = [span for span in spans(self.folder, "store").values()
                 if "again" in span.get("tags", {})]
        self.assertTrue(again, "no request was in a store that was killed")
        for span in again:
            parent = volume[span["parentId"]]
            self.assertLessEqual(parent["timestamp"], span["timestamp"])
            self.assertGreaterEqual(parent["timestamp"] + parent["duration"],
                                    span["timestamp"] + span["duration"])
            self.assertNotIn("error", parent.get("tags", {}))

    def test_nothing_acknowledged_is_lost_with_nbdkit(self):
        nbd = importlib.import_module("nbd")
        acknowledged, stop = {}, threading.Event()

        def write(worker):
            for block in range(worker, 4096, 4):
                content = f"{worker}:{block}:".encode().ljust(BLOCK, b"x")
                while not stop.is_set():
                    try:
                        connection = nbd.NBD()
                        connection.connect_uri(self.store.uri)
                        connection.pwrite(content, block * BLOCK)
                        acknowledged[block] = content
                        break
                    except nbd.Error:
                        time.sleep(0.01)

        with self.store:
            workers = [threading.Thread(target=write, args=(i,)) for i in range(4)]
            for worker in workers:
                worker.start()
            for _ in range(10):
                time.sleep(0.2)
                self.store.kill("nbd")
            stop.set()
            for worker in workers:
                worker.join()
            self.assertEqual([self.store.restarts[peer] for peer in PEERS], [0, 0, 0])
            while not self.store.socket.exists():
                time.sleep(0.01)
            connection = nbd.NBD()
            connection.connect_uri(self.store.uri)
            self.assertGreater(len(acknowledged), 100)
            for block, content in acknowledged.items():
                self.assertEqual(connection.pread(BLOCK, block * BLOCK), content, block)


class OnCeph(Killing):
    BETWEEN = 0.6  # radosd has to connect before it serves
    RATE = 600

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="ceph-")
        cls.addClassCleanup(shutil.rmtree, folder)
        up = subprocess.run([CEPH, "up", folder], check=True, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(subprocess.run, [CEPH, "down", folder], check=True)
        cls.CEPH_CONF = up.stdout.strip()

    def test_nothing_acknowledged_is_lost_with_a_peer(self):
        self.expect_nothing_lost()


def main():
    tools = ["nbdkit", "fio"]
    if "OnCeph" in sys.argv:
        tools += ["ceph-mon", "ceph-osd"]
        if not (PROGRAMS / "radosd").exists():
            tools += ["radosd"]
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if importlib.util.find_spec("nbd") is None:
        missing.append("python3-libnbd")
    if missing:
        print("SKIPPED: not installed:", *missing)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)


main()
