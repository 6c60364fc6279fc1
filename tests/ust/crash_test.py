#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a traced program, or the session daemon, while spans are made.

usage: scripts/with-lttng tests/ust/crash_test.py PATH-OF-ust_spans
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import bt2
except ImportError:
    print("SKIPPED: the Python module bt2 is not installed (python3-bt2)")
    sys.exit(77)

LIMIT_S = 60


def lttng(*arguments):
    subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.DEVNULL)


def daemons():
    """Returns the process ids of the session daemon and of its children, which write the traces."""
    folder = "/run/lttng" if os.geteuid() == 0 else os.environ["LTTNG_HOME"] + "/.lttng"
    daemon = int(pathlib.Path(folder, "lttng-sessiond.pid").read_text())
    children = []
    for task in pathlib.Path(f"/proc/{daemon}/task").iterdir():
        children += map(int, (task / "children").read_text().split())
    return [daemon, *children]


class Crash(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        lttng("create", "crash", "--output", self.folder + "/lttng")
        # Small sub-buffers, so that some of them are full, and therefore in the trace, at the time
        # of death.
        lttng("enable-channel", "--userspace", "--subbuf-size=16k", "--num-subbuf=16", "some")
        lttng("enable-event", "--userspace", "--channel=some", "tracekin:*")
        lttng("start")

    def load(self, seconds):
        """Starts a program that makes spans for `seconds`, and returns it when it has begun."""
        program = subprocess.Popen([SPANS, self.folder, str(seconds)], stdout=subprocess.PIPE,
                                   text=True)
        self.addCleanup(program.stdout.close)
        self.assertEqual(program.stdout.readline(), "begins\n")
        return program

    def test_a_a_killed_program_leaves_what_it_had_recorded(self):
        program = self.load(1000)
        time.sleep(2)
        program.kill()
        program.wait(LIMIT_S)
        lttng("destroy", "crash")
        names = {}
        for message in bt2.TraceCollectionMessageIterator(self.folder + "/lttng"):
            if type(message) is bt2._EventMessageConst:
                names[message.event.name] = names.get(message.event.name, 0) + 1
        self.assertGreater(names["tracekin:span_finish"], 1000)
        # The last sub-buffer of each CPU may end in the middle of a span.
        self.assertLess(abs(names["tracekin:span_start"] - names["tracekin:span_finish"]), 20)

    def test_b_a_program_survives_the_daemons(self):
        program = self.load(4)
        time.sleep(1)
        for daemon in daemons():
            os.kill(daemon, signal.SIGKILL)
        self.assertEqual(program.wait(LIMIT_S), 0)
        # A program that starts now finds the sockets of a daemon that no longer exists.
        start = time.monotonic()
        self.assertEqual(self.load(1).wait(LIMIT_S), 0)
        self.assertLess(time.monotonic() - start, 20)


if __name__ == "__main__":
    SPANS = sys.argv.pop(1)
    unittest.main(verbosity=2)
