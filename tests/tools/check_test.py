#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tracekin check: what it says of configurations, and with which status it ends.

usage: tests/tools/check_test.py PATH-OF-tracekin
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tracekin-check-")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.path.chmod(0o755)

    def check(self, configuration, *options, **variables):
        file = self.path / "tracekin.json"
        text = configuration if isinstance(configuration, str) else json.dumps(configuration)
        file.write_text(text)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("TRACEKIN_")}
        return subprocess.run([TRACEKIN, "check", *options, file], text=True, timeout=60,
                              env=environment | variables, capture_output=True)

    def exporter(self, **keys):
        return {"service_name": "edge",
                "exporter": {"endpoint": "http://127.0.0.1:9411/api/v2/spans"} | keys}

    def test_says_what_a_configuration_does(self):
        done = self.check(self.exporter() | {"sampler": {"rate": 0.07}})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("edge\n", done.stdout)
        self.assertIn("zipkin, as json to http://127.0.0.1:9411/api/v2/spans\n", done.stdout)
        self.assertIn("7 % of traces", done.stdout)

    def test_says_what_is_invalid(self):
        for configuration, message in [
                ({"servce_name": "edge"}, 'did you mean "service_name"?'),
                ("{,}", "not JSON: line 1"),
                (self.exporter(type="kafka"), "exporter.kafka_brokers: not set")]:
            done = self.check(configuration)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)
            self.assertIn(f"{self.path}/tracekin.json: ", done.stderr)

    def test_applies_the_environment(self):
        done = self.check(self.exporter(), "--json", TRACEKIN_SERVICE_NAME="other")
        self.assertEqual(json.loads(done.stdout)["service_name"], "other")
        done = self.check(self.exporter(), TRACEKIN_SAMPLER_RATE="10")
        self.assertEqual(done.returncode, 2)
        self.assertIn("TRACEKIN_SAMPLER_RATE", done.stderr)

    def test_masks_credentials(self):
        done = self.check(self.exporter(endpoint="http://me:secret@127.0.0.1/api/v2/spans"))
        self.assertIn("http://me:***@127.0.0.1/", done.stdout)

    def test_an_endpoint_without_a_path_is_noted(self):
        done = self.check(self.exporter(endpoint="http://127.0.0.1:9411"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("note: exporter.endpoint has no path; Zipkin's is /api/v2/spans", done.stdout)

    def test_a_missing_file_stops_nothing_unless_the_host_is_named(self):
        done = self.check(self.exporter(bearer_file="/nowhere/token"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("problem: exporter.bearer_file: /nowhere/token: No such file", done.stdout)

    @unittest.skipIf(os.geteuid() != 0, "only root may become another user")
    def test_says_what_cannot_work_in_the_host(self):
        token = self.path / "token"
        token.write_text("secret")
        token.chmod(0o600)
        host = ("--user", "nobody")
        done = self.check(self.exporter(bearer_file=str(token)), *host)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: exporter.bearer_file: ", done.stdout)
        self.assertIn("Permission denied; the plugin reads it only while it is loaded", done.stdout)
        done = self.check(self.exporter(spool_path=f"{self.path}/spool"), *host)
        self.assertEqual(done.returncode, 1)
        self.assertIn("problem: exporter.spool_path: ", done.stdout)
        done = self.check(self.exporter(endpoint="http://zipkin.test/api/v2/spans"),
                          "--chroot", str(self.path))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: exporter.endpoint: names cannot be resolved here", done.stdout)

    def test_an_unknown_user(self):
        done = self.check(self.exporter(), "--user", "no-such-user")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no user no-such-user", done.stderr)


if __name__ == "__main__":
    TRACEKIN = sys.argv.pop(1)
    unittest.main(verbosity=2)
