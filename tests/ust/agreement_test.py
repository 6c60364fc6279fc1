#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a tracer's events and its exported spans agree, and that the comparison can fail.

usage: scripts/with-lttng tests/ust/agreement_test.py PATH-OF-ust_spans
"""

import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
try:
    import bt2  # noqa: F401  needed by records; the only reason to skip
except ImportError:
    print("SKIPPED: the Python module bt2 is not installed (python3-bt2)")
    sys.exit(77)
import records


def lttng(*arguments):
    subprocess.run(["lttng", *arguments], check=True, stdout=subprocess.DEVNULL)


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            lttng("create", "agreement", "--output", folder + "/lttng")
            lttng("enable-event", "--userspace", "tracekin:*")
            lttng("add-context", "--userspace", "--type=vpid", "--type=vtid", "--type=procname")
            lttng("start")
            try:
                subprocess.run([SPANS, folder], check=True, timeout=60)
            finally:
                lttng("destroy", "agreement")
            cls.events = records.LttngRecord(folder + "/lttng")
            cls.files = records.file_spans(folder)

    def setUp(self):
        self.lttng, self.exported = copy.deepcopy((self.events, self.files))

    def differences(self):
        return records.differences(self.lttng, self.exported, lower_case=False)

    def any(self, name):
        return next(span for span in self.exported.values() if span.name == name)

    def test_events_and_export_agree(self):
        self.assertEqual(self.differences(), [])

    def test_what_was_made_is_there(self):
        # Makes five spans twice in the parent and once in the child. One of each five is not
        # sampled.
        self.assertEqual(len(self.lttng.spans), 15)
        self.assertEqual(len(self.exported), 12)
        self.assertEqual({self.lttng.spans[span_id].name for span_id in self.lttng.unsampled},
                         {"Not exported"})
        self.assertEqual({len(span.trace_id) for span in self.exported.values()}, {16, 32})
        self.assertEqual(len({event.process for event in self.lttng.events}), 2)
        root = self.any("GET /ä")
        self.assertEqual(root.kind, "SERVER")
        self.assertEqual(root.annotations, ['miss key="a b" tries=3', "plain"])
        self.assertEqual(root.tags, {
            "host": "own", "text": 'a "quoted" \\ line\nbreak\ttab \x01 end', "umlaut ä": "grün €",
            "not UTF-8": "before \ufffd\ufffd( after", "empty": "", "number": "-42",
            "unsigned": "18446744073709551615", "double": "0.1", "true": "true", "null": "null",
            "list": '[1,"two",{"three":3}]', "again": "second"})
        call = self.any("Call renamed")
        self.assertEqual(call.remote, {"serviceName": "Storage", "ipv4": "127.0.0.1", "port": 5432})
        self.assertEqual(call.tags, {"host": "web-1", "error": "true"})
        large = self.any("Large")
        self.assertTrue(10000 < len(large.tags["huge"]) < 32768
                        and int(large.tags["tracekin.truncated"]))
        short = self.any("Short")
        self.assertEqual((short.start, short.duration), (1500000000123456, 1))

    # From here on: each defect must be found.

    def test_a_missing_span_is_found(self):
        del self.exported[self.any("Call renamed").span_id]
        self.assertRegex("\n".join(self.differences()),
                         r"^\w+ \(Größe, Call renamed\) was not exported$")

    def test_a_span_too_many_is_found(self):
        del self.lttng.spans[self.any("Call renamed").span_id]
        self.assertIn("is not in the LTTng trace", self.differences()[0])

    def test_an_unsampled_span_that_is_exported_is_found(self):
        self.lttng.unsampled.add(self.any("Short").span_id)
        self.assertIn("is not in the LTTng trace", self.differences()[0])

    def test_another_value_is_found(self):
        changes = {"start": 1, "duration": 2, "kind": "CLIENT", "parent_id": "1", "trace_id": "1",
                   "service": "other", "name": "other", "tags": {}, "remote": {"port": 1},
                   "annotations": ["other"]}
        for field, value in changes.items():
            with self.subTest(field):
                self.setUp()
                span = self.any("Short")
                setattr(span, field, value)
                found = self.differences()
                self.assertEqual(len(found), 1)
                self.assertRegex(found[0], f"^{span.span_id} has {field} .*, exported as ")

    def test_case_matters_unless_the_server_does_away_with_it(self):
        self.exported = {key: records.as_zipkin_tells(span) for key, span in self.exported.items()}
        self.assertEqual(len({line.split()[0] for line in self.differences()}), 12)
        self.assertEqual(records.differences(self.lttng, self.exported, lower_case=True), [])

    def test_an_unbalanced_scope_is_found(self):
        enter = next(event for event in self.lttng.events if event.what == "scope_enter")
        self.lttng.events.append(enter)
        self.lttng.finish({})
        self.assertIn("a different number of times", self.differences()[0])

    def test_a_span_that_does_not_finish_is_found(self):
        self.lttng.finish({"00000000000000aa": []})
        self.assertEqual(self.differences(), ["00000000000000aa has no finish"])


if __name__ == "__main__":
    SPANS = sys.argv.pop(1)
    unittest.main(verbosity=2)
