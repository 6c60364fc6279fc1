#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/haproxy.md as they are printed, in a copy of this machine.

usage: page_test.py PAGE BUILD-FOLDER SCRIPTS
The copy is an overlay with namespaces of its own for mounts, processes and the network, so every
port is free and nothing is left behind. It has Debian's HAProxy with its packaged configuration, a
real Zipkin, and instead of systemd a program that obeys the unit's file and its drop-ins. Exits
with 77 if this is not possible.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PAGE, BUILD, SCRIPTS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
TRACE, SPAN = "80f198ee56343ba864fe8b2a57d3eff7", "e457b5a2e4d86bd1"
HAPROXY_LOG = pathlib.Path("/run/haproxy.log")

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


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def reason_to_skip():
    if os.geteuid() != 0:
        return "only root can make a copy of this machine"
    sys.path += [str(HERE), str(HERE.parent / "support")]
    import haproxy_test
    import zipkin_server
    os.environ["TRACEKIN_SCRIPTS"] = str(SCRIPTS)
    zipkin_server.ZIPKIN = SCRIPTS / "zipkin"
    for tool in ("cpack", "ip", "unshare", "dpkg-shlibdeps", "openssl"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    changed = subprocess.run(["dpkg", "-V", "haproxy"], capture_output=True, text=True).stdout
    if "/etc/haproxy/haproxy.cfg" in changed:
        return "this machine's /etc/haproxy/haproxy.cfg is not Debian's"
    return haproxy_test.reason_to_skip() or zipkin_server.reason_to_skip()


def wait_for(condition, what, seconds=120):
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            said = HAPROXY_LOG.read_text() if HAPROXY_LOG.exists() else ""
            raise AssertionError(f"after {seconds} s still no {what}; HAProxy said:\n{said}")
        time.sleep(0.1)


class Service(threading.Thread):
    """The service behind HAProxy, which keeps the headers of its requests."""

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


class SecureCollector(threading.Thread):
    """https://zipkin.example.org, certified by an authority that this copy's system trusts."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.posts = []
        script = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
              -subj /CN=test-authority -keyout ca.key -out ca.pem
            echo subjectAltName=DNS:zipkin.example.org >ext
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
              -subj /CN=zipkin.example.org -keyout key.pem -out request.pem
            openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
              -extfile ext -out certificate.pem
            cat ca.pem >>/etc/ssl/certs/ca-certificates.crt
            echo 127.0.0.1 zipkin.example.org >>/etc/hosts"""
        subprocess.run(["bash", "-ec", script], cwd=folder, check=True, capture_output=True)
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                spans = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                collector.posts += [(self.headers["Authorization"], span) for span in spans]
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.start()

    def run(self):
        self.server.serve_forever()


def make_packages(folder):
    # Only what the page installs; the other packages may not be built.
    done = subprocess.run(
        ["cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder,
         "-D", "CPACK_COMPONENTS_ALL=tracekin-plugin;tracekin-tools"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def traces():
    url = "http://127.0.0.1:9411/api/v2/traces?" + urllib.parse.urlencode(
        {"serviceName": "edge", "limit": 1000})
    with urllib.request.urlopen(url) as answer:
        return {trace[0]["traceId"]: trace for trace in json.load(answer)}


def request(**headers):
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    with urllib.request.urlopen(
            urllib.request.Request("http://127.0.0.1:8080/path", headers=named)) as answer:
        assert answer.status == 200


def check_first_span():
    spans = wait_for(traces, "span in Zipkin")
    (span,), = spans.values()
    assert span["tags"]["http.status_code"] == "200", span
    assert span["tags"]["http.path"] == "/", span
    assert "parentId" not in span, span


def check_continued(service):
    """A trace that arrives with either kind of header is continued, up to the service."""
    for number, headers in enumerate((
            {"b3": f"{TRACE}-{SPAN}-1"},
            {"x_b3_traceid": TRACE, "x_b3_spanid": SPAN, "x_b3_sampled": "1"},
            {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "a=1,b=2"})):
        request(**headers)
        seen = service.requests[-1]
        spans = wait_for(lambda: [span for span in traces().get(TRACE, ())][number:], "child")
        ids = {span["id"] for span in spans}
        assert all(span["parentId"] == SPAN for span in spans), spans
        sent = " ".join(seen.values())
        assert TRACE in sent and any(i in sent for i in ids), seen
        assert not any(key.startswith("client-") for key in seen), seen


def check_broken_reload():
    """An invalid configuration does not end HAProxy, with and without the check of the drop-in."""
    path = pathlib.Path("/etc/haproxy/tracekin.json")
    good = path.read_text()
    path.write_text(good.replace("service_name", "servce_name"))
    refused = subprocess.run(["systemctl", "reload", "haproxy"], capture_output=True, text=True)
    assert refused.returncode != 0
    assert 'did you mean "service_name"?' in refused.stderr, refused.stderr
    request()
    before = HAPROXY_LOG.read_text().count("Loading failure!")
    pid = int(pathlib.Path("/run/haproxy.pid.main").read_text())
    os.kill(pid, 12)  # SIGUSR2
    wait_for(lambda: HAPROXY_LOG.read_text().count("Loading failure!") > before, "refusal")
    request()
    path.write_text(good)


def main_in_copy(folder):
    import zipkin_server
    shims = pathlib.Path("/usr/local/sbin")
    shutil.copy(HERE / "systemctl.py", shims / "systemctl")
    service = Service()
    collector = SecureCollector(folder)
    blocks = re.findall(r"(?ms)^```sh\n(.*?)^```$", PAGE.read_text())
    assert len(blocks) >= 8, "the page has lost its commands"
    subprocess.run([SCRIPTS / "zipkin", "up", f"{folder}/zipkin", "9411"], check=True,
                   stdout=subprocess.DEVNULL)
    try:
        for block in blocks:
            print("$ " + block.strip().replace("\n", "\n  "), flush=True)
            done = subprocess.run(["bash", "-eo", "pipefail", "-c", block], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print(done.stdout, flush=True)
            assert done.returncode == 0, done.returncode
            if "curl" in block:
                check_first_span()
                assert {"b3", "traceparent"} <= service.requests[0].keys(), service.requests
                assert "baggage" not in service.requests[0], service.requests
                assert "; spans to zipkin, as json to http://127" in HAPROXY_LOG.read_text()
                check_continued(service)
            if "daemon-reload" in block:
                check_broken_reload()
            if "https://" in block:
                request()
                (authorization, span), = wait_for(lambda: collector.posts[:1], "span over HTTPS")
                assert authorization == "Bearer secret-token", authorization
                assert span["localEndpoint"]["serviceName"] == "edge", span
        assert collector.posts, "no span arrived over HTTPS"
    finally:
        subprocess.run([SCRIPTS / "zipkin", "down", f"{folder}/zipkin", "KILL"])
    print("every command of the page works")


def main():
    if os.environ.get("TRACEKIN_IN_COPY"):
        sys.path += [str(HERE), str(HERE.parent / "support")]
        return main_in_copy(os.environ["TRACEKIN_IN_COPY"])
    reason = reason_to_skip()
    if reason:
        skip(reason)
    with tempfile.TemporaryDirectory(prefix="tracekin-page-") as folder:
        os.chmod(folder, 0o755)
        make_packages(folder)
        mountpoint = pathlib.Path(folder) / "copy"
        mountpoint.mkdir()
        separate = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
        probe = subprocess.run(separate + ["bash", "-c", ENTER, "-", mountpoint, "true"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if probe.returncode != 0:
            skip("no overlay in namespaces of its own: " + " ".join(probe.stdout.split()))
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("TRACEKIN_") and not key.lower().endswith("_proxy")}
        environment["TRACEKIN_IN_COPY"] = folder
        done = subprocess.run(separate + ["bash", "-c", ENTER, "-", mountpoint, sys.executable,
                                          __file__, PAGE, BUILD, SCRIPTS], env=environment)
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
