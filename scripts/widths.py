#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no line of the sources and documents has more than 100 columns.

Prints each line that is longer, and then exits with status 1. A line may be longer if it is a
single word, such as a URL, or in Markdown a table's row or code.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
CODE = (".h", ".hpp", ".cc", ".c", ".cmake", ".py", ".sh", ".bash", ".fish", ".zsh")
UNBREAKABLE = re.compile(r"\s*(//[/!]?|#|\*|-)?\s*\S+$")


def is_code(path):
    if path.suffix in CODE or path.name in ("CMakeLists.txt", "_tracekin"):
        return True
    with path.open("rb") as file:
        return path.suffix == "" and file.read(2) == b"#!"


def long_lines(lines):
    for number, line in enumerate(lines, 1):
        if len(line) > WIDTH and not UNBREAKABLE.match(line):
            yield number, line


def long_prose(lines):
    """Same as long_lines, for Markdown."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        free = fenced or line.startswith(("|", "    "))
        if len(line) > WIDTH and not free and not UNBREAKABLE.match(line):
            yield number, line


def main():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split("\0")
    wrong = 0
    for name in filter(None, listed):
        path = ROOT / name
        if not path.is_file():
            continue
        check = long_prose if path.suffix == ".md" else long_lines if is_code(path) else None
        if check is None:
            continue
        for number, line in check(path.read_text(encoding="utf-8").splitlines()):
            print(f"{name}:{number}: {len(line)} columns")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
