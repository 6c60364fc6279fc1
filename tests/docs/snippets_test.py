#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C++ examples of docs/api.md and README.md as they are printed.

usage: snippets_test.py SOURCE_FOLDER BUILD_FOLDER COMPILER [-v]

An example with main() or TEST() is a program. The other examples of docs/api.md are statements.
Each becomes the body of a function whose argument is `tracer`, and all functions become one
program. A comment before such an example lists the spans that it must record, in any order, as
`name` or `name < name of the parent`:

    <!-- spans: order, charge < order -->
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
COMPILER = sys.argv[3]

BLOCK = re.compile(r"^(?:<!-- spans:(?P<spans>[^\n]*)-->\n)?```cpp\n(?P<code>.*?)^```$",
                   re.MULTILINE | re.DOTALL)

INCLUDES = """
#include <opentracing/ext/tags.h>
#include <sys/wait.h>
#include <tracekin/scope.h>
#include <tracekin/scoped_span.h>
#include <tracekin/testing.h>
#include <tracekin/tracer.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <thread>
#include <vector>

using TracerPointer = std::shared_ptr<tracekin::Tracer>;
"""

# Calls each function with a tracer of its own and prints the line of its example and its spans.
MAIN = """
void Run(int line, void (*example)(const TracerPointer&)) {
  tracekin::SpanRecorder recorder;
  example(recorder.tracer());
  const auto spans = recorder.FinishedSpans();
  std::cout << line << ':';
  for (const auto& span : spans) {
    std::cout << '\\t' << span.name;
    for (const auto& parent : spans) {
      if (parent.span_id == span.parent_span_id) std::cout << " < " << parent.name;
    }
  }
  std::cout << std::endl;
}

int main() {
%s
}
"""

# Forgetting the result of these does nothing, or hides an error.
MISTAKES = [
    'auto span = tracer->StartSpan("a"); tracekin::Scope{*span};',
    'tracekin::StartActiveSpan(*tracer, "a");',
    "tracekin::ActiveSpan();",
    "tracekin::MakeTracerFromEnvironment();",
]


class Example:
    """One example of a document."""

    def __init__(self, document, match):
        self.code = match["code"]
        self.line = document.count("\n", 0, match.start("code")) + 1
        self.is_program = "int main()" in self.code or "TEST(" in self.code
        self.spans = sorted(name.strip() for name in (match["spans"] or "").split(",")
                            if name.strip())


def examples(page):
    text = (SOURCE / page).read_text(encoding="utf-8")
    return [Example(text, match) for match in BLOCK.finditer(text)]


def function_of(example):
    return (f"void Line{example.line}([[maybe_unused]] const TracerPointer& tracer) {{\n"
            f'#line {example.line} "docs/api.md"\n{example.code}}}\n')


class Snippets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, code, *options):
        """Returns the finished compiler, which has written the program `program`."""
        source = self.folder / "snippet.cc"
        source.write_text(code, encoding="utf-8")
        return subprocess.run(
            [COMPILER, "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror",
             f"-I{SOURCE}/include", "-o", self.folder / "program", source, f"-L{BUILD}/lib",
             f"-Wl,-rpath,{BUILD}/lib", "-ltracekin", "-lopentracing", "-pthread", *options],
            capture_output=True, text=True, check=False)

    def run_program(self, code, *options, **environment):
        compiled = self.compile(code, *options)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith("TRACEKIN_")}
        return subprocess.run([self.folder / "program"], env={**inherited, **environment},
                              cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=120)

    def exported(self):
        path = self.folder / "spans.json"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def check_program(self, code, **environment):
        """Checks that a program exports a span, and ends with a message if it is configured
        wrongly."""
        file = {"TRACEKIN_EXPORTER_TYPE": "file",
                "TRACEKIN_EXPORTER_PATH": str(self.folder / "spans.json")}
        ran = self.run_program(code, **environment, **file)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn('"name":', self.exported())
        ran = self.run_program(code, **environment, **file, TRACEKIN_SAMPLER_RATE="10")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("TRACEKIN_SAMPLER_RATE", ran.stderr)

    def test_the_program_in_readme(self):
        (program,) = examples("README.md")
        self.check_program(program.code)
        self.assertIn('"customer":"ann"', self.exported())

    def test_the_programs_in_api(self):
        programs = [example for example in examples("docs/api.md") if example.is_program]
        self.assertEqual(len(programs), 2)
        for program in programs:
            if "int main()" in program.code:
                self.check_program(program.code, TRACEKIN_SERVICE_NAME="shop")
            else:
                ran = self.run_program(program.code, "-lgtest", "-lgtest_main")
                self.assertEqual(ran.returncode, 0, ran.stdout)
                self.assertIn("[  PASSED  ] 1 test.", ran.stdout)

    def test_the_statements_in_api(self):
        statements = [example for example in examples("docs/api.md") if not example.is_program]
        self.assertGreater(len(statements), 5)
        calls = "\n".join(f"Run({example.line}, Line{example.line});" for example in statements)
        functions = "\n".join(function_of(example) for example in statements)
        ran = self.run_program(INCLUDES + functions + MAIN % calls)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        recorded = dict(line.split(":", 1) for line in ran.stdout.splitlines())
        for example in statements:
            with self.subTest(line=example.line):
                self.assertEqual(sorted(recorded[str(example.line)].split("\t")[1:]),
                                 example.spans)

    def test_the_compiler_warns_about_mistakes(self):
        for mistake in MISTAKES:
            function = f"void Mistake([[maybe_unused]] const TracerPointer& tracer) {{ {mistake} }}"
            with self.subTest(mistake=mistake):
                compiled = self.compile(INCLUDES + function, "-c")
                self.assertNotEqual(compiled.returncode, 0)
                self.assertRegex(compiled.stderr, "nodiscard|unused-result|unused-value")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
