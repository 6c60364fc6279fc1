#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tracekin doctor` with a real session daemon, real programs and a collector.

usage: scripts/with-lttng tests/tools/doctor_test.py PATH-OF-tracekin PATH-OF-ust_spans
PATH-OF-libtracekin.so
"""

import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

LIMIT_S = 60


@contextlib.contextmanager
def collector(status):
    """A server that answers every POST so. Yields its URL and the bodies that it received."""
    bodies = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/v2/spans", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def closed_port():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tracekin-doctor-")
        self.addCleanup(shutil.rmtree, self.folder)

    def ask(self, *arguments, status=0, program=None, **more):
        done = subprocess.run([program or TRACEKIN, "doctor", *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LIMIT_S, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def configured(self, exporter, status=0, **keys):
        file = self.folder + "/tracekin.json"
        pathlib.Path(file).write_text(json.dumps({"service_name": "s", "exporter": exporter,
                                                  **keys}))
        return self.ask("--config", file, status=status)

    def test_the_daemon_that_answers_and_one_that_is_gone(self):
        self.assertRegex(self.ask(), r"(?m)^ok +session daemon .* process \d+, answers$")
        folder = "/run/lttng" if os.geteuid() == 0 else os.environ["LTTNG_HOME"] + "/.lttng"
        pid_file = pathlib.Path(folder, "lttng-sessiond.pid")
        os.kill(int(pid_file.read_text()), signal.SIGTERM)
        while pid_file.exists():
            time.sleep(0.05)
        self.assertRegex(self.ask(), r"(?m)^ok +session daemon +none runs")
        self.assertRegex(self.ask(env=dict(os.environ, PATH="/nonexistent"), status=1),
                         r"(?m)^problem +session daemon .*install lttng-tools$")
        subprocess.run(["lttng-sessiond", "--daemonize", "--no-kernel"], check=True,
                       stderr=subprocess.DEVNULL)

    def test_a_machine_without_a_kernel_tracer(self):
        if pathlib.Path("/sys/module/lttng_tracer").exists():
            self.skipTest("this machine has LTTng's modules")
        self.assertRegex(self.ask(), r"(?m)^warning +kernel tracer .*lttng-modules-dkms")

    def test_programs_with_the_tracer(self):
        spans = subprocess.Popen([SPANS, self.folder, "1000"], stdout=subprocess.PIPE)
        self.addCleanup(spans.communicate)
        self.addCleanup(spans.kill)
        spans.stdout.readline()  # it has begun
        waits = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(flush=True); input()"
        silent = subprocess.Popen([sys.executable, "-c", waits, LIBRARY], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE,
                                  env=dict(os.environ, TRACEKIN_UST_ENABLED="false"))
        self.addCleanup(silent.communicate)
        silent.stdout.readline()
        said = self.ask()
        self.assertRegex(said, rf"(?m)^ok +programs +\S+/{spans.pid} emits events$")
        self.assertRegex(said, rf"(?m)^warning +programs +\S+/{silent.pid} has tracekin, but its "
                               r"events are switched off by TRACEKIN_UST_ENABLED=false$")

    def test_a_collector_that_accepts_spans(self):
        with collector(202) as (url, bodies):
            said = self.configured({"endpoint": url}, ust={"enabled": True})
        self.assertRegex(said, rf"(?m)^ok +collector +{url} answers with HTTP 202, \d+ ms$")
        self.assertEqual(bodies, [b"[]"])
        self.assertNotIn("ust.enabled", said)

    def test_a_collector_at_another_path(self):
        with collector(404) as (url, _):
            said = self.configured({"endpoint": url}, status=1)
        self.assertRegex(said, r"(?m)^problem +collector .*HTTP 404: is the path right\?")
        self.assertRegex(said, r"(?m)^warning +events +ust.enabled is not set")

    def test_a_collector_that_is_down(self):
        port = closed_port()
        for exporter in ({"endpoint": f"http://127.0.0.1:{port}/api/v2/spans"},
                         {"endpoint": f"scribe://127.0.0.1:{port}"},
                         {"type": "kafka", "kafka_brokers": f"127.0.0.1:{port}"}):
            with self.subTest(exporter):
                said = self.configured(exporter, status=1)
                self.assertRegex(said, r"(?m)^problem +collector +.*connect to server$")

    def test_one_broker_of_two(self):
        with socket.create_server(("127.0.0.1", 0)) as broker:
            up = f"127.0.0.1:{broker.getsockname()[1]}"
            said = self.configured({"type": "kafka",
                                    "kafka_brokers": f"127.0.0.1:{closed_port()},{up}"})
        self.assertRegex(said, rf"(?m)^ok +collector +{up} accepts connections")

    def test_credentials_are_not_sent(self):
        token = pathlib.Path(self.folder, "token")
        token.write_text("secret")
        token.chmod(0o600)
        with collector(202) as (url, bodies):
            said = self.configured({"endpoint": url, "bearer_file": str(token)})
        self.assertRegex(said, "accepts connections, .*; its path and the credentials were not")
        self.assertEqual(bodies, [])

    def test_a_file_that_can_be_written_and_one_that_cannot(self):
        self.assertIn("file " + self.folder + "/spans", self.configured(
            {"type": "file", "path": self.folder + "/spans"}))
        said = self.configured({"type": "file", "path": "/nonexistent/spans"}, status=1)
        self.assertRegex(said,
                         "(?m)^problem +collector +cannot write to /nonexistent: No such file")

    def test_a_configuration_that_is_wrong(self):
        said = self.configured({"endpiont": "x"}, status=1)
        self.assertRegex(said, r'(?m)^problem +configuration .*did you mean "exporter.endpoint"')
        self.assertRegex(self.ask("--config", "/nonexistent", status=1), "problem +configuration")

    def test_a_user_who_is_in_no_group(self):
        if os.geteuid() != 0:
            self.skipTest("another user needs root")
        program = shutil.copy(TRACEKIN, self.folder)  # from where it may not be allowed to look
        os.chmod(self.folder, 0o755)
        said = self.ask(program=program, cwd="/", user=65534, group=65534, extra_groups=[],
                        env={"PATH": os.environ["PATH"], "HOME": self.folder})
        self.assertRegex(said, "(?m)^warning +group tracing .*(usermod -aG tracing|not exist)")
        self.assertRegex(said, "(?m)^ok +session daemon +root's daemon runs, but you cannot use it")


if __name__ == "__main__":
    TRACEKIN, SPANS, LIBRARY = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main(verbosity=2)
