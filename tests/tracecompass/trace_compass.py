# SPDX-License-Identifier: Apache-2.0
"""Trace Compass for tests: runs the script `trace-compass` and returns its results."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parent / "trace-compass"


def install():
    """Installs Trace Compass, or ends the test as skipped if that is not possible."""
    status = subprocess.run([SCRIPT, "install"]).returncode
    if status != 0:
        sys.exit(status)


def traces(folder):
    """Returns the traces in a folder that lttng(1) has written."""
    return sorted(file.parent for file in pathlib.Path(folder).rglob("metadata"))


def run(*arguments, status=0):
    """Returns the printed lines by their first word. `status` is the expected exit status."""
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
