#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Summarises CTest's reports: skipped tests and their reasons, failures, and a line of counts."""

import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def skip_reason(output):
    """Returns the reason. GoogleTest prints it after "Skipped"; a script prints it after
    "skipped:", or as its last line."""
    match = re.search(r": Skipped\n(.*?)\n*\[  SKIPPED \]", output, re.DOTALL) or re.search(
        r"^skipped:? *(.+)$", output, re.MULTILINE | re.IGNORECASE
    )
    lines = (match.group(1) if match else output).split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")


def outcome(case):
    """Returns the outcome of a test. CTest marks a test whose program is missing like a skipped
    one; only the message differs."""
    status = case.get("status")
    skipped = case.find("skipped")
    if status == "run":
        return "passed"
    message = "" if skipped is None else skipped.get("message", "")
    if status == "disabled" or message.startswith("SKIP_"):
        return "skipped"
    return "failed"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failed", action="append", default=[], help="anything else that failed")
    parser.add_argument("reports", nargs="*",
                        help="PRESET/NAME.xml, what ctest --output-junit wrote")
    args = parser.parse_args()

    passed, failed, skipped = 0, list(args.failed), []
    for report in map(pathlib.Path, args.reports):
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        if not cases:
            failed.append(f"no test found for {report}")
        for case in cases:
            result, name = outcome(case), f"{case.get('name')} ({report.parent.name})"
            if result == "passed":
                passed += 1
            elif result == "failed":
                failed.append(name)
            else:
                reason = skip_reason(case.findtext("system-out") or "")
                skipped.append(f"{name}: {reason}")
    for line in skipped:
        print("skipped:", line)
    for line in failed:
        print("failed:", line)
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
