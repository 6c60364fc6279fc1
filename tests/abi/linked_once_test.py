#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that none of the project's source files is linked into two of the delivered libraries.

usage: linked_once_test.py BUILD_FOLDER

A second copy would have a second random seed, a second state per thread and a second set of fork
handlers. The test compares the compilation units in the debugging information of the libraries, and
the symbols that they export.
"""
import pathlib
import re
import subprocess
import sys

LIBRARIES = ["libtracekin", "libtracekin_blkin"]
# These libraries contain copies of all the code that they need, for the given reason.
STANDALONE = {
    "libtracekin_plugin": "a host loads it by name, and it exports nothing else than what the host "
                          "looks for",
    "libtracekin_thrift": "the plugin loads it, too, and exports nothing that it could link to",
    "libtracekin_kafka": "the plugin loads it, too, and exports nothing that it could link to",
    "libtracekin_ust": "the plugin loads it, too; it is C, and has nothing of the others",
}
# Files that must not be part of a module, because they contain state that threads share.
STATEFUL = ["base/thread_state.cc", "base/open_module.cc", "tracer/process.cc", "ust/loader.cc"]


def sources(library):
    """Returns the project's source files that are part of a library."""
    printed = subprocess.run(["readelf", "--wide", "--debug-dump=info", "--dwarf-depth=1", library],
                             capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"DW_AT_name .*: \.\./\.\./(\S+)$", printed, re.MULTILINE))


# Returns the names of the symbols that a library exports.
def exports(library):
    printed = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", library],
                             capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in printed.splitlines() if line.split()[1] != "A"}
    return {name.split("@")[0] for name in names}


def main():
    folder = pathlib.Path(sys.argv[1]) / "lib"
    files = {name: folder / f"{name}.so" for name in [*LIBRARIES, *STANDALONE]}
    built = {name: sources(file) for name, file in files.items() if file.exists()}
    if not all(built.get(name) for name in LIBRARIES):
        print("SKIPPED: the libraries have no debugging information")
        return 77
    wrong = []
    first, second = LIBRARIES
    for twice in sorted(built[first] & built[second]):
        wrong.append(f"{twice}: in both {first} and {second}")
    for twice in sorted(exports(files[first]) & exports(files[second])):
        wrong.append(f"{twice}: exported by both {first} and {second}")
    for name in ("libtracekin_thrift", "libtracekin_kafka", "libtracekin_ust"):
        for source in sorted(built.get(name, set()) & set(STATEFUL)):
            wrong.append(f"{source}: keeps a state that {name} must not have a second time")
    print("\n".join(wrong) or f"compared {len(built)} libraries")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
