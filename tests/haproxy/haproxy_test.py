#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests Debian's HAProxy with the tracekin plugin in its OpenTracing filter, in master-worker mode.

usage: haproxy_test.py [CASE...]     like unittest
TRACEKIN_PLUGIN names the plugin's file, TRACEKIN_SCRIPTS the folder of scripts/zipkin. Exits
with 77 if HAProxy with that filter is not installed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import zipkin_server
from haproxy import PROGRAM, Edge, wait_for
from traffic import Client, Load

PLUGIN = os.environ.get("TRACEKIN_PLUGIN", "")

# The headers of a request besides the context: those of the client and of edge.cfg.
OTHER_KEYS = {"host", "accept-encoding", "content-length", "x-request", "x-text", "in-x-b3-traceid",
              "in-x-b3-spanid", "in-x-b3-sampled", "in-x-b3-flags"}

# The headers of the context of a span without a parent.
CONTEXT_KEYS = {"x-b3-traceid", "x-b3-spanid", "x-b3-sampled", "x-b3-flags"}


def to_file(**more):
    return {"service_name": "edge", "exporter": {"type": "file", "path": "spans.json"},
            "propagation": {"inject": ["b3multi", "baggage"]}} | more


class ReloadTest(unittest.TestCase):
    REQUESTS = 10000
    RELOADS = 4

    def test_no_request_and_no_span_is_lost(self):
        with Edge(PLUGIN, to_file()) as edge:
            edge.start()
            load = Load(edge.port, self.REQUESTS)
            for i in range(self.RELOADS):
                wait_for(lambda: load.done() >= self.REQUESTS * (i + 1) // (self.RELOADS + 1),
                         "progress", seconds=200)
                self.assertLess(load.done(), self.REQUESTS, "a reload came too late")
                edge.haproxy.reload()
            load.join()
            edge.haproxy.stop()
            self.assertEqual(load.errors, [])
            self.check_spans(edge.spans(), load.seen)
            self.assertEqual(edge.haproxy.complaints(), [])

    def check_spans(self, spans, seen):
        self.assertEqual(len(spans), self.REQUESTS)
        self.assertEqual(len({span["id"] for span in spans.values()}), self.REQUESTS)
        for request, span in spans.items():
            self.assertEqual((span["traceId"], span["id"]),
                             (seen[request]["trace-id"], seen[request]["span-id"]))
            self.assertEqual(span["tags"]["http.status_code"], "200")


class ContextTest(unittest.TestCase):
    SENT = {"x-b3-traceid": "463ac35c9f6413ad48485a3953bb6124", "x-b3-spanid": "a2fb4a1d1a96d312"}

    def request(self, headers, context_keys=CONTEXT_KEYS, **more):
        """Sends a request. Returns the headers that the service saw, and the request's span or
        None."""
        with Edge(PLUGIN, to_file(**more)) as edge:
            edge.start()
            client = Client(edge.port)
            seen = client.request("first", headers)
            client.request("last")  # its span comes after the first request's span
            client.close()
            edge.haproxy.stop()
            arrived = set(seen["names"].split(",")) - OTHER_KEYS
            self.assertEqual(arrived - {"x-b3-parentspanid"}, context_keys)
            self.assertEqual("x-b3-parentspanid" in arrived, bool(headers))
            return seen, edge.spans().get("first")

    def test_a_new_trace_reaches_the_service(self):
        seen, span = self.request({})
        self.assertEqual((seen["trace-id"], seen["span-id"]), (span["traceId"], span["id"]))
        self.assertRegex(seen["trace-id"], "^[0-9a-f]{32}$")
        self.assertEqual(seen["sampled"], "1")
        self.assertNotIn("parentId", span)

    def test_by_default_two_headers_are_sent(self):
        self.request({}, {"b3", "traceparent"}, propagation={})

    def test_a_trace_that_arrives_is_continued(self):
        seen, span = self.request(self.SENT | {"x-b3-sampled": "1"})
        self.assertEqual(seen["trace-id"], self.SENT["x-b3-traceid"])
        self.assertEqual(seen["parent-id"], self.SENT["x-b3-spanid"])
        self.assertEqual(seen["sampled"], "1")
        self.assertEqual(span["traceId"], self.SENT["x-b3-traceid"])
        self.assertEqual(span["parentId"], self.SENT["x-b3-spanid"])
        self.assertEqual(span["id"], seen["span-id"])

    def test_a_trace_that_is_not_sampled_goes_on_and_is_not_exported(self):
        seen, span = self.request(self.SENT | {"x-b3-sampled": "0"})
        self.assertEqual(seen["trace-id"], self.SENT["x-b3-traceid"])
        self.assertEqual(seen["sampled"], "0")
        self.assertIsNone(span)

    def test_a_debug_trace_stays_one(self):
        seen, span = self.request(self.SENT | {"x-b3-flags": "1"})
        self.assertEqual(seen["flags"], "1")
        self.assertIs(span["debug"], True)


class UserTest(unittest.TestCase):
    """Debian's setup: root starts HAProxy, which serves as its own user and cannot start a thread.
    """

    REQUESTS = 500

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root can start HAProxy as another user")

    def test_spans_are_exported_without_root(self):
        with Edge(PLUGIN, to_file(), ["user haproxy", "group haproxy"]) as edge:
            edge.folder.chmod(0o777)  # so that the user can write the file of spans
            edge.start()
            load = Load(edge.port, self.REQUESTS)
            load.join()
            edge.haproxy.stop()
            self.assertEqual(load.errors, [])
            self.assertEqual(len(edge.spans()), self.REQUESTS)
            self.assertEqual(edge.spans_path.owner(), "haproxy")
            self.assertEqual(edge.haproxy.complaints(), [])


class ConfigurationTest(unittest.TestCase):
    def expect_refusal(self, configuration, *words):
        with Edge(PLUGIN, configuration) as edge:
            status, said = edge.haproxy.run()
            self.assertNotEqual(status, 0)
            for word in words:
                self.assertIn(word, said)

    def test_an_unknown_key_is_named(self):
        self.expect_refusal({"service_nam": "edge"}, "service_nam", "service_name")

    def test_broken_json_is_located(self):
        self.expect_refusal('{"service_name": "edge",\n "exporter": }', "line 2")

    def test_a_wrong_type_is_named(self):
        self.expect_refusal({"service_name": "edge", "exporter": {"batch_spans": "many"}},
                            "exporter.batch_spans")

    def test_a_missing_service_name_is_named(self):
        self.expect_refusal({}, "service_name")


class OutageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = zipkin_server.reason_to_skip()
        if reason:
            raise unittest.SkipTest(reason)

    def send(self, edge, count):
        load = Load(edge.port, count)
        load.join()
        self.assertEqual(load.errors, [])

    def expect_spans(self, zipkin, count):
        wait_for(lambda: zipkin.spans() >= count, f"{count} spans in Zipkin")
        self.assertEqual(zipkin.spans(), count)

    def test_requests_go_on_and_no_span_is_lost(self):
        with zipkin_server.Zipkin() as zipkin:
            zipkin.up()
            endpoint = zipkin.url + "/api/v2/spans"
            with Edge(PLUGIN, {"service_name": "edge", "exporter": {"endpoint": endpoint}}) as edge:
                edge.start()
                self.send(edge, 300)
                self.expect_spans(zipkin, 300)

                zipkin.down("KILL")
                self.send(edge, 500)
                # Refused, or reset if the kill interrupted a request. Only the first of the two is
                # logged.
                wait_for(lambda: re.search(r"edge: spans cannot be sent and are kept in "
                                           r"memory: .*Connection re(fused|set)",
                                           edge.haproxy.said()), "report")

                zipkin.up()
                self.send(edge, 200)
                edge.haproxy.stop()  # this sends the remaining spans
                self.expect_spans(zipkin, 700)
                self.assertNotIn("dropped", edge.haproxy.said())


def reason_to_skip():
    if PROGRAM is None:
        return "haproxy is not installed"
    built = subprocess.run([PROGRAM, "-vv"], capture_output=True, text=True).stdout
    if not re.search(r"\+OT\b", built):
        return "this haproxy has no OpenTracing filter"
    return None


def main():
    reason = reason_to_skip()
    if reason is None:
        result = unittest.main(verbosity=2, exit=False).result
        if not result.wasSuccessful():
            return 1
        if result.testsRun > 0:
            return 0
        reason = result.skipped[0][1]
    print(f"SKIPPED: {reason}")
    return 77


if __name__ == "__main__":
    sys.exit(main())
