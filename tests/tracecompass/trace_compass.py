# SPDX-License-Identifier: Apache-2.0
"""Trace Compass for tests: runs the script of that name and gives what it found."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent / "trace-compass"


def install():
    """Ends the test as skipped where Trace Compass cannot be had."""
    status = subprocess.run([SCRIPT, "install"]).returncode
    if status != 0:
        sys.exit(status)


def traces(folder):
    """The traces in a folder as lttng(1) writes it."""
    return sorted(file.parent for file in pathlib.Path(folder).rglob("metadata"))


def run(*arguments, status=0):
    """The lines found, by their first word. `status` is how the run must end."""
    found = collections.defaultdict(list)
    with tempfile.NamedTemporaryFile() as output:
        ended = subprocess.run([SCRIPT, output.name, *arguments], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
        if ended.returncode != status:
            raise RuntimeError(f"trace-compass: status {ended.returncode}, {ended.stdout}")
        for line in output:
            kind, *values = json.loads(line)
            found[kind].append(values)
    return found
