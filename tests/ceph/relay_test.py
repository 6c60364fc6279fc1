#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests relays between real clients and a real OSD of Debian's Ceph.

usage: relay_test.py [CASE...]     like unittest
TRACEKIN_CEPH_RELAY and TRACEKIN_CEPH_RELAY_REDIRECT name the relay and the library for its clients.
Exits with 77 if Ceph is not installed.
"""

import hashlib
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

from cluster import Cluster, Relay, reason_to_skip

# The only failure that clients expect: they look for objects that do not exist yet.
NOT_THERE = -2
SIZES = (0, 1, 4095, 65536, 1000000, 4 * 1024 * 1024 + 1)


class RelayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.cluster = Cluster(folder)
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def relay(self, name, target, **options):
        relay = Relay(name, self.folder, target, **options)
        self.addCleanup(relay.stop)
        return relay

    def random_file(self, name, size):
        path = self.folder / name
        path.write_bytes(os.urandom(size))
        return path

    def assert_same(self, one, other):
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, other)]
        self.assertEqual(digests[0], digests[1], f"{one} and {other} differ")

    def objects(self, through):
        """Objects written through the relay are read without it, and the other way round."""
        rados = lambda *arguments, **way: self.cluster.client("rados", *arguments, **way)
        for size in SIZES:
            sent, back = self.random_file(f"sent{size}", size), self.folder / f"back{size}"
            for writing, reading in ((through, None), (None, through)):
                rados("put", f"object{size}", sent, through=writing)
                rados("get", f"object{size}", back, through=reading)
                self.assert_same(sent, back)

    def bench(self, through):
        """Returns how many objects were written and read. Reading compares their content."""
        bench = lambda seconds, *arguments, **way: self.cluster.client(
            "rados", "bench", seconds, *arguments, "--run-name", f"run-{id(through)}", **way)
        said = bench(1, "write", "-b", 65536, "-t", 8, "--no-cleanup", through=through)
        written = int(re.search(r"Total writes made: +(\d+)", said)[1])
        read = int(re.search(r"Total reads made: +(\d+)",
                             bench(20, "seq", "-t", 8, through=through))[1])
        directly = int(re.search(r"Total reads made: +(\d+)", bench(20, "seq", "-t", 8))[1])
        self.assertEqual((read, directly), (written, written))
        return written, read

    def image(self, through):
        """An rbd image that is imported and written through the relay is the same without it."""
        rbd = lambda *arguments, **way: self.cluster.client("rbd", *arguments, **way)
        sent = self.random_file("image", 9 * 1024 * 1024)
        rbd("import", "--image-format", 2, sent, "image", through=through)
        rbd("export", "image", self.folder / "image.back")
        self.assert_same(sent, self.folder / "image.back")
        rbd("create", "--size", "16M", "written", through=through)
        rbd("bench", "--io-type", "write", "--io-size", 16384, "--io-threads", 4, "--io-total",
            "8M", "--io-pattern", "rand", "written", through=through)
        rbd("export", "written", self.folder / "written", through=through)
        rbd("export", "written", self.folder / "written.back")
        self.assert_same(self.folder / "written", self.folder / "written.back")
        self.assertTrue(any((self.folder / "written").read_bytes()), "nothing was written")
        for image in ("image", "written"):
            rbd("rm", image, through=through)

    def assert_all_answered(self, relay):
        """Each request has a span and was answered, except that rbd may end before its notify-ack
        is."""
        counts = relay.counts
        self.assertGreater(counts["requests"], 0)
        self.assertEqual(len(relay.spans), counts["requests"])
        answered = [span for span in relay.spans.values() if "ceph.result" in span["tags"]]
        self.assertEqual(counts["replies"], len(answered))
        self.assertEqual(counts["unanswered"], counts["requests"] - len(answered))
        self.assertLessEqual({span["name"] for span in relay.spans.values()
                              if "ceph.result" not in span["tags"]}, {"notify-ack"})
        for trouble in ("unreachable", "refused", "signed", "too_large", "unknown", "inconsistent",
                        "not_followed", "passed_through"):
            self.assertEqual(counts[trouble], 0, trouble)
        for span in answered:
            result = int(span["tags"]["ceph.result"])
            self.assertTrue(result >= 0 or result == NOT_THERE, span)
            self.assertEqual("error" in span["tags"], result < 0)
            self.assertLessEqual(0, int(span["tags"]["ceph.osd_latency_us"]))
            self.assertLessEqual(int(span["tags"]["ceph.osd_latency_us"]), span["duration"])

    def assert_identical(self, sides):
        self.assertTrue(sides)
        for side in sides:
            self.assertEqual(side.arrived, side.went_on)

    def test_stamped_contexts_are_read_by_the_next_relay(self):
        reader = self.relay("reader", self.cluster.osd, stamp=False)
        stamper = self.relay("stamper", reader.address)
        self.objects(stamper)
        written, read = self.bench(stamper)
        self.image(stamper)
        stamper.stop()
        reader.stop()

        self.assert_all_answered(stamper)
        self.assert_all_answered(reader)
        self.assertEqual(stamper.counts["with_context"], 0)
        self.assertEqual(stamper.counts["stamped"], stamper.counts["requests"])
        self.assertEqual(reader.counts["with_context"], stamper.counts["requests"])
        self.assertEqual(reader.counts["stamped"], 0)
        self.assertEqual(len({span["parentId"] for span in reader.spans.values()}),
                         stamper.counts["requests"])
        for span in reader.spans.values():
            parent = stamper.spans[span["parentId"]]
            self.assertEqual(span["traceId"], parent["traceId"])
            self.assertEqual(span["name"], parent["name"])
            for tag in ("ceph.tid", "ceph.object", "ceph.pool", "ceph.data_bytes"):
                self.assertEqual(span["tags"][tag], parent["tags"][tag])

        def of_bench(name):
            return sum(name in span["name"].split(",") and "_object" in span["tags"]["ceph.object"]
                       for span in stamper.spans.values())
        self.assertEqual((of_bench("write"), of_bench("read")), (written, read))

        self.assertEqual(sorted(side.went_on for side in stamper.digests["client"]),
                         sorted(side.arrived for side in reader.digests["client"]))
        for side in stamper.digests["client"]:
            self.assertEqual(side.arrived[0], side.went_on[0])
        self.assertNotEqual([side.arrived for side in stamper.digests["client"]],
                            [side.went_on for side in stamper.digests["client"]])
        self.assert_identical(stamper.digests["osd"])
        self.assert_identical(reader.digests["client"])
        self.assert_identical(reader.digests["osd"])

    def test_without_stamping_every_byte_is_the_same(self):
        relay = self.relay("untouched", self.cluster.osd, stamp=False)
        self.objects(relay)
        self.bench(relay)
        self.image(relay)
        relay.stop()
        self.assert_all_answered(relay)
        self.assertEqual((relay.counts["stamped"], relay.counts["with_context"]), (0, 0))
        self.assert_identical(relay.digests["client"])
        self.assert_identical(relay.digests["osd"])

    def test_clients_outlive_their_relay(self):
        """Requests that lose their relay and connection are sent again through the next relay."""
        first = self.relay("first", self.cluster.osd)
        bench = self.cluster.start("rados", "bench", 4, "write", "-b", 16384, "-t", 16,
                                   "--run-name", "outlived", "--no-cleanup", through=first)
        time.sleep(1.5)
        first.stop()
        second = self.relay("second", self.cluster.osd, listen=first.address)
        said, _ = bench.communicate(timeout=60)
        self.assertEqual(bench.returncode, 0, said)
        second.stop()
        self.assertGreater(first.counts["stamped"], 0)
        self.assertEqual(first.counts["replies"] + first.counts["unanswered"],
                         first.counts["requests"])
        self.assert_all_answered(second)
        self.assertEqual(second.counts["stamped"], second.counts["requests"])
        written = re.search(r"Total writes made: +(\d+)", said)[1]
        said = self.cluster.client("rados", "bench", 20, "seq", "--run-name", "outlived")
        self.assertEqual(re.search(r"Total reads made: +(\d+)", said)[1], written)


def main():
    reason = reason_to_skip()
    if reason is not None:
        print(f"SKIPPED: {reason}")
        return 77
    return 0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
