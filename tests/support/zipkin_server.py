# SPDX-License-Identifier: Apache-2.0
"""A real Zipkin server for tests in Python. TRACEKIN_SCRIPTS names the folder of scripts/zipkin."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.request

ZIPKIN = pathlib.Path(os.environ.get("TRACEKIN_SCRIPTS", "")) / "zipkin"


def reason_to_skip():
    if any(shutil.which(program) is None for program in ("java", "mvn", "curl")):
        return "java, maven or curl is not installed"
    if subprocess.run([ZIPKIN, "fetch"]).returncode != 0:
        return "the Zipkin server cannot be downloaded"
    return None


class Zipkin:
    """A real server; a context manager."""

    def __init__(self, **environment):
        self.folder = tempfile.mkdtemp(prefix="tracekin-zipkin-")
        self.url = None
        self.environment = dict(os.environ, **environment)

    def up(self):
        port = self.url.rsplit(":", 1)[1] if self.url else "0"
        up = subprocess.run([ZIPKIN, "up", self.folder, port], stdout=subprocess.PIPE, text=True,
                            check=True, env=self.environment)
        self.url = up.stdout.strip()

    def down(self, how="TERM"):
        subprocess.run([ZIPKIN, "down", self.folder, how], check=True)

    def spans(self):
        """Returns how many spans were posted to this server since it started."""
        with urllib.request.urlopen(self.url + "/metrics") as answer:
            return json.load(answer).get("counter.zipkin_collector.spans.http", 0)

    def signal(self, number):
        with open(os.path.join(self.folder, "pid")) as file:
            os.kill(int(file.read()), number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.down("KILL")
        shutil.rmtree(self.folder)
