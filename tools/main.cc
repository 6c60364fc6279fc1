// SPDX-License-Identifier: Apache-2.0
// The program `tracekin`: tools around the library, one subcommand each.
#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <string>

#include "base/terminal.h"
#include "tools/record/record.h"

namespace {

// An error repeats words of the command line, which a script may have from others.
int Exit(const CLI::App& app, const CLI::ParseError& error) {
  std::stringstream said;
  const int status = app.exit(error, std::cout, said);
  for (std::string line; std::getline(said, line);) {
    std::cerr << tracekin::ForTerminal(line) << '\n';
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Tools around tracekin's spans and their LTTng events.", "tracekin");
  app.require_subcommand(1);
  app.set_version_flag("--version", "tracekin " TRACEKIN_VERSION);
  int status = 0;
  tracekin::record::AddSubcommand(&app, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Exit(app, error);
  }
  return status;
}
