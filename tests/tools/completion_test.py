#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the completion scripts in their shells.

usage: tests/tools/completion_test.py PATH-OF-tracekin FOLDER-OF-SCRIPTS
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIMIT_S = 60

# Calls the function in the same way as bash, and prints its completions.
BASH = """
source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tracekin
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""

# zsh completes words only at a terminal. These functions replace those that would add completions.
ZSH = """
_describe() { print -rl -- "${(@P)@[-1]}" }
_files() { print -rl -- *(N) }
_alternative() { print -rl -- ${(k)commands} *(N) }
compset() { true }
script=$1; shift
words=("$@") CURRENT=$#
source $script
"""


def run(*command, folder, **more):
    environment = dict(os.environ, HOME=folder, LC_ALL="C.UTF-8",
                       PATH=f"{pathlib.Path(TRACEKIN).parent}:{os.environ['PATH']}")
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder,
                          timeout=LIMIT_S, env=environment, **more).stdout.splitlines()


def offered_by_bash(folder, *words):
    return run("bash", "--norc", "-c", BASH, SCRIPTS + "/tracekin.bash", "tracekin", *words,
               folder=folder)


def offered_by_zsh(folder, *words):
    offers = run("zsh", "-f", "-c", ZSH, "-", SCRIPTS + "/_tracekin", "tracekin", *words,
                 folder=folder)
    return [re.split(r"(?<!\\):", offer)[0] for offer in offers]


def offered_by_fish(folder, *words):
    line = " ".join(["tracekin", *words])
    script = f"source {SCRIPTS}/tracekin.fish; complete --do-complete '{line}'"
    return [line.split("\t")[0] for line in run("fish", "--no-config", "-c", script, folder=folder)]


class Completion:
    """Tests for every shell. A subclass names the shell."""

    def setUp(self):
        if shutil.which(self.shell) is None:
            self.skipTest(f"{self.shell} is not installed")
        self.folder = tempfile.mkdtemp(prefix="tracekin-completion-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(self.folder + "/a folder")

    def offered(self, *words):
        return {offer.rstrip("/")
                for offer in globals()["offered_by_" + self.shell](self.folder, *words)}

    def test_subcommands(self):
        self.assertIn("record", self.offered(""))
        self.assertEqual(self.offered("rec"), {"record"})

    def test_options_are_those_of_help(self):
        told = run(TRACEKIN, "record", "--help", folder=self.folder)
        options = set(re.findall(r"--[a-z-]+",
                                 "\n".join(line for line in told if re.match(r" +-", line))))
        self.assertIn("--kernel", options)
        self.assertEqual(self.offered("record", "--"), options)

    def test_folders(self):
        offers = {offer.replace("\\", "") for offer in self.offered("record", "-o", "")}
        self.assertIn("a folder", offers)

    def test_a_folder_in_the_same_word(self):
        words = ("--output", "=", "") if self.shell == "bash" else ("--output=",)
        offers = {offer.replace("\\", "").split("=")[-1]
                  for offer in self.offered("record", *words)}
        self.assertIn("a folder", offers)

    def test_nothing_fits(self):
        self.assertEqual(self.offered("record", "--nothing"), set())
        self.assertEqual(self.offered("record", "--pid", ""), set())


class Bash(Completion, unittest.TestCase):
    shell = "bash"

    def test_a_command(self):
        self.assertIn("tracekin", self.offered("record", "--", "trace"))


class Zsh(Completion, unittest.TestCase):
    shell = "zsh"

    def test_a_command(self):
        self.assertIn("tracekin", self.offered("record", "--", "trace"))


class Fish(Completion, unittest.TestCase):
    shell = "fish"


if __name__ == "__main__":
    TRACEKIN, SCRIPTS = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
