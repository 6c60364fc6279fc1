#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the sources against the table of rooms in docs/design.md.

Every `#include "..."` of a room must name a file of that room or of a room that its row lists.
Prints each include that does not, and each room of the table that has no folder. The exit status is
then 1. With --list, prints the folders of the rooms instead, one per line.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def rooms():
    """Returns the table: folder -> the folders that it uses, longest folder first."""
    text = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    table = text.split("\n| room |", 1)[1].split("\n\n", 1)[0]
    found = {}
    for row in table.splitlines()[2:]:
        name, _, uses = [cell.strip() for cell in row.strip("|").split("|")]
        found[name.strip("`")] = set(re.findall(r"`([^`]+)`", uses))
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def room_of(path, table):
    return next((room for room in table if path.startswith(room)), None)


def file_of(include, source):
    """Returns the project's file that an include names, or None for a library's or a generated
    file."""
    for folder in ("", "include/", str(source.parent) + "/", "integrations/grpc/include/"):
        if (ROOT / folder / include).is_file():
            return folder + include
    return None


def main():
    table = rooms()
    if sys.argv[1:] == ["--list"]:
        print("\n".join(sorted(table)))
        return 0
    wrong = [f"{room}: in docs/design.md, but not a folder"
             for room in table if not (ROOT / room).is_dir()]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout
    for source in map(pathlib.Path, listed.split()):
        room = room_of(str(source), table)
        if room is None or source.suffix not in (".h", ".cc", ".c", ".hpp"):
            continue
        for include in INCLUDE.findall((ROOT / source).read_text(encoding="utf-8")):
            named = file_of(include, source)
            other = room_of(named, table) if named else None
            if named and other is None:
                wrong.append(f"{source}: includes {include}, which is in none of the rooms of "
                             f"docs/design.md")
            elif named and other != room and other not in table[room]:
                wrong.append(f"{source}: {room} does not use {other} ({include})")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
