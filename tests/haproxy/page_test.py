#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/haproxy.md as they are printed, in a copy of this machine.

usage: page_test.py PAGE BUILD-FOLDER SCRIPTS
The copy has Debian's HAProxy with its packaged configuration, and a real Zipkin. Exits with 77 if
this is not possible.
"""

import http.server
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "support")]
PAGE, BUILD, SCRIPTS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
os.environ["TRACEKIN_SCRIPTS"] = str(SCRIPTS)

import haproxy_test
import machine_copy
import zipkin_server
from machine_copy import request, traces

HAPROXY_LOG = pathlib.Path("/run/haproxy.log")


def reason_to_skip():
    changed = subprocess.run(["dpkg", "-V", "haproxy"], capture_output=True, text=True).stdout
    if "/etc/haproxy/haproxy.cfg" in changed:
        return "this machine's /etc/haproxy/haproxy.cfg is not Debian's"
    return (machine_copy.reason_to_skip() or haproxy_test.reason_to_skip()
            or zipkin_server.reason_to_skip())


def wait_for(condition, what):
    return machine_copy.wait_for(condition, what, explain=HAPROXY_LOG.read_text)


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


def check_first_span(service):
    (span,), = wait_for(traces, "span in Zipkin").values()
    assert span["tags"]["http.status_code"] == "200", span
    assert span["tags"]["http.path"] == "/", span
    assert "parentId" not in span, span
    assert {"b3", "traceparent"} <= service.requests[0].keys(), service.requests
    assert "baggage" not in service.requests[0], service.requests
    assert "; spans to zipkin, as json to http://127" in HAPROXY_LOG.read_text()


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
    os.kill(int(pathlib.Path("/run/haproxy.pid.main").read_text()), signal.SIGUSR2)
    wait_for(lambda: HAPROXY_LOG.read_text().count("Loading failure!") > before, "refusal")
    request()
    path.write_text(good)


def check_secure(collector):
    request()
    (authorization, span), = wait_for(lambda: collector.posts[:1], "span over HTTPS")
    assert authorization == "Bearer secret-token", authorization
    assert span["localEndpoint"]["serviceName"] == "edge", span


def check_daemon():
    """With -D, standard error is /dev/null, and messages go to the system's log."""
    path = pathlib.Path("/var/lib/haproxy/dev/log")
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as syslog:
        syslog.bind(str(path))
        path.chmod(0o666)
        syslog.settimeout(60)
        subprocess.run(["haproxy", "-D", "-f", "/etc/haproxy/haproxy.cfg"], cwd="/", check=True,
                       capture_output=True)
        while True:  # HAProxy has messages of its own
            text = syslog.recv(4096).decode()
            if re.match(r"<30>tracekin\[\d+\]: edge: version ", text):
                return


def main_in_copy(folder):
    machine_copy.use_systemctl()
    service = machine_copy.Service()
    collector = SecureCollector(folder)
    blocks = machine_copy.blocks(PAGE)
    assert len(blocks) >= 8, "the page has lost its commands"
    subprocess.run([SCRIPTS / "zipkin", "up", f"{folder}/zipkin", "9411"], check=True,
                   stdout=subprocess.DEVNULL)
    try:
        for block in blocks:
            machine_copy.run(block, folder)
            if "curl" in block:
                check_first_span(service)
                machine_copy.check_continued(service)
                assert not any(key.startswith("client-") for seen in service.requests
                               for key in seen), service.requests
            if "daemon-reload" in block:
                check_broken_reload()
            if "https://" in block:
                check_secure(collector)
        assert collector.posts, "no span arrived over HTTPS"
        check_daemon()
    finally:
        subprocess.run([SCRIPTS / "zipkin", "down", f"{folder}/zipkin", "KILL"])
    print("every command of the page works")


def main():
    if machine_copy.folder_of_copy():
        return main_in_copy(machine_copy.folder_of_copy())
    reason = reason_to_skip()
    if reason:
        print(f"SKIPPED: {reason}")
        return 77
    return machine_copy.run_in_copy(BUILD, __file__, PAGE, BUILD, SCRIPTS)


if __name__ == "__main__":
    sys.exit(main())
