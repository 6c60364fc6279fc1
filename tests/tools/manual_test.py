#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the manual pages agree with the program's --help, and that man(1) accepts them.

usage: tests/tools/manual_test.py PATH-OF-tracekin FOLDER-OF-PAGES
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

LIMIT_S = 60


def told(*words):
    return subprocess.run([TRACEKIN, *words, "--help"], check=True, stdout=subprocess.PIPE,
                          text=True,
                          timeout=LIMIT_S).stdout


def subcommands():
    """Returns name -> summary."""
    return dict(re.findall(r"(?m)^  (\w+) +(.+)$", told().split("\nSubcommands:\n")[1]))


def page(*words):
    return (PAGES / ("-".join(["tracekin", *words]) + ".1")).read_text(encoding="utf-8")


def options_of_help(*words):
    return {names for names in re.findall(r"(?m)^  (-\S+)", told(*words))}


def options_of_page(*words):
    """Returns "-x,--long" for every `.It Fl x , Fl -long`."""
    items = re.findall(r"(?m)^\.It (Fl .+)$", page(*words))
    return {",".join("-" + name for name in re.findall(r"Fl (\S+)", item)) for item in items}


class Manual(unittest.TestCase):
    def test_every_subcommand_has_a_page_and_no_other_page_is_there(self):
        expected = {"tracekin.1", *(f"tracekin-{name}.1" for name in subcommands())}
        self.assertEqual({path.name for path in PAGES.iterdir()}, expected)

    def test_the_options_are_those_of_help(self):
        for words in ([], *([name] for name in subcommands())):
            with self.subTest(words):
                self.assertTrue(options_of_page(*words))
                self.assertEqual(options_of_page(*words), options_of_help(*words))

    def test_the_summary_of_a_page_is_that_of_help(self):
        for name, summary in subcommands().items():
            with self.subTest(name):
                described = re.search(r"(?m)^\.Nd (.+)$", page(name)).group(1)
                self.assertEqual(described, summary[0].lower() + summary[1:])

    def test_the_first_page_names_every_subcommand(self):
        named = re.findall(r"(?m)^\.It Ic (\S+)$", page())
        self.assertEqual(named, list(subcommands()))

    def test_help_has_no_line_above_100_columns(self):
        for words in ([], *([name] for name in subcommands())):
            long = [line for line in told(*words).splitlines() if len(line) > 100]
            self.assertEqual(long, [], words)

    def test_man_finds_nothing_wrong(self):
        if shutil.which("man") is None:
            self.skipTest("man is not installed (man-db)")
        environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80")
        for path in PAGES.iterdir():
            with self.subTest(path.name):
                shown = subprocess.run(["man", "--warnings", "-l", path], check=True,
                                       env=environment,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       timeout=LIMIT_S)
                self.assertEqual(shown.stderr, "")
                self.assertIn("SYNOPSIS", shown.stdout)


if __name__ == "__main__":
    TRACEKIN, PAGES = sys.argv[1], pathlib.Path(sys.argv[2])
    del sys.argv[1:3]
    unittest.main(verbosity=2)
