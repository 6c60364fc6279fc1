#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the instruction counts of the hot paths with benchmarks/instructions.json.

usage: instructions_test.py PROGRAM [--update]

PROGRAM is the built benchmarks/instructions. Prints a table. The exit status is 1 if a count
differs by 3 % or more from the file's. A lower count also fails: the file must then be updated, so
that the gain is not lost again. --update writes the file. The counts are those of Debian 12's g++
in the release preset, because another compiler generates other code.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BASELINE = pathlib.Path(__file__).with_name("instructions.json")
TOLERANCE = 0.03
TIMES = 10000  # the same as in instructions.cc


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def compiler_of(program):
    comment = subprocess.run(["readelf", "-p", ".comment", program], capture_output=True, text=True,
                             check=True)
    return re.search(r"GCC: \(.*?\) [\d.]+", comment.stdout).group(0)


def count(program, folder):
    """Returns the number of instructions of one operation of each work."""
    ran = subprocess.run(
        ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--callgrind-out-file=dump",
         program],
        cwd=folder, capture_output=True, text=True, check=False, timeout=280)
    if ran.returncode != 0:
        sys.exit(f"instructions: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    counts = {}
    for dump in pathlib.Path(folder).glob("dump*"):
        text = dump.read_text()
        request = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        if request is not None:
            totals = re.search(r"^totals: (\d+)", text, re.MULTILINE)
            counts[request.group(1)] = round(int(totals.group(1)) / TIMES)
    return counts


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("valgrind") is None:
        skip("valgrind is not installed")
    with tempfile.TemporaryDirectory() as folder:
        counts = count(program, folder)
    if "--update" in sys.argv:
        baseline = {"compiler": compiler_of(program), "instructions": counts}
        BASELINE.write_text(json.dumps(baseline, indent=2) + "\n")
    baseline = json.loads(BASELINE.read_text())
    print("| work | instructions | before | |\n|---|---|---|---|")
    wrong = []
    for work in sorted(counts.keys() | baseline["instructions"].keys()):
        now, before = counts.get(work, 0), baseline["instructions"].get(work, 0)
        change = now / before - 1 if before else 1
        print(f"| {work} | {now} | {before} | {change:+.1%} |")
        if abs(change) > TOLERANCE:
            wrong.append(work)
    if compiler_of(program) != baseline["compiler"]:
        skip(f"built by {compiler_of(program)}; the counts are of {baseline['compiler']}")
    if wrong:
        sys.exit(f"instructions: changed by more than {TOLERANCE:.0%}: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
