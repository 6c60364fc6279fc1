# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a document as they are printed, in a copy of this machine.

The copy is an overlay with namespaces of its own for mounts, processes and the network, so every
port is free and nothing is left behind. A test runs itself again in the copy. tests/support/
systemctl.py stands in for systemd there.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
IN_COPY = "TRACEKIN_IN_COPY"

ENTER = r"""
set -e
mount -t tmpfs copy "$1"
mkdir "$1"/upper "$1"/work "$1"/root
mount -t overlay -o lowerdir=/,upperdir="$1"/upper,workdir="$1"/work overlay "$1"/root
cd "$1"/root
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs run run
mkdir -p run/haproxy run/outside
pivot_root . run/outside
umount -l /run/outside
ip link set lo up
shift
exec "$@"
"""


def reason_to_skip():
    if os.geteuid() != 0:
        return "only root can make a copy of this machine"
    for tool in ("cpack", "ip", "unshare", "dpkg-shlibdeps", "openssl"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    return None


def folder_of_copy():
    """Returns the folder of this test in the copy, or None outside."""
    return os.environ.get(IN_COPY)


def run_in_copy(build, *arguments):
    """Packages what documents install into a folder, makes a copy and runs this program with
    `arguments` there. Returns its exit status, 77 if no copy can be made."""
    with tempfile.TemporaryDirectory(prefix="tracekin-page-") as folder:
        os.chmod(folder, 0o755)
        make_packages(build, folder)
        mountpoint = pathlib.Path(folder) / "copy"
        mountpoint.mkdir()
        separate = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
        probe = subprocess.run(separate + ["bash", "-c", ENTER, "-", mountpoint, "true"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if probe.returncode != 0:
            print("SKIPPED: no overlay in namespaces of its own: " + " ".join(probe.stdout.split()))
            return 77
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("TRACEKIN_") and not key.lower().endswith("_proxy")}
        environment[IN_COPY] = folder
        return subprocess.run(separate + ["bash", "-c", ENTER, "-", mountpoint, sys.executable,
                                          *arguments], env=environment).returncode


def make_packages(build, folder):
    # Only what the documents install; the other packages may not be built.
    done = subprocess.run(
        ["cpack", "--config", build / "CPackConfig.cmake", "-B", folder,
         "-D", "CPACK_COMPONENTS_ALL=tracekin-plugin;tracekin-tools"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def use_systemctl():
    shutil.copy(HERE / "systemctl.py", "/usr/local/sbin/systemctl")


def blocks(page):
    """Returns the commands of a document: its blocks that are marked as sh."""
    return re.findall(r"(?ms)^```sh\n(.*?)^```$", page.read_text())


def run(block, folder):
    """Runs one block, and prints it with its output."""
    print("$ " + block.strip().replace("\n", "\n  "), flush=True)
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", block], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout, flush=True)
    assert done.returncode == 0, done.returncode


def wait_for(condition, what, seconds=120, explain=lambda: ""):
    """Returns the first result of `condition` that is true."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s still no {what}\n{explain()}")
        time.sleep(0.1)


class Service(threading.Thread):
    """The service at port 8000 behind a proxy, which keeps the headers of its requests."""

    def __init__(self):
        super().__init__(daemon=True)
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                requests.append({key.lower(): value for key, value in self.headers.items()})
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Handler)
        self.start()

    def run(self):
        self.server.serve_forever()


def request(**headers):
    """Sends a request to the proxy at port 8080."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    with urllib.request.urlopen(
            urllib.request.Request("http://127.0.0.1:8080/path", headers=named)) as answer:
        assert answer.status == 200


def traces():
    """Returns the traces of the service "edge" in the Zipkin at port 9411, by their ids."""
    url = "http://127.0.0.1:9411/api/v2/traces?" + urllib.parse.urlencode(
        {"serviceName": "edge", "limit": 1000})
    with urllib.request.urlopen(url) as answer:
        return {trace[0]["traceId"]: trace for trace in json.load(answer)}


TRACE, SPAN = "80f198ee56343ba864fe8b2a57d3eff7", "e457b5a2e4d86bd1"


def check_continued(service):
    """Traces that arrive with B3 or W3C headers are continued, up to the service."""
    for number, headers in enumerate((
            {"b3": f"{TRACE}-{SPAN}-1"},
            {"x_b3_traceid": TRACE, "x_b3_spanid": SPAN, "x_b3_sampled": "1"},
            {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "a=1,b=2"})):
        request(**headers)
        seen = service.requests[-1]
        spans = wait_for(lambda: [span for span in traces().get(TRACE, ())
                                  if span["parentId"] == SPAN][number:], "child")
        ids = {span["id"] for span in traces()[TRACE]}
        assert spans and TRACE in seen["b3"], seen
        for header in ("b3", "traceparent"):
            assert any(i in seen[header] for i in ids), seen
