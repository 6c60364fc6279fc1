// The program `tracekin`: tools around the library, one subcommand each.
#include <CLI/CLI.hpp>

#include "tools/record/record.h"

int main(int argc, char** argv) {
  CLI::App app("Tools around tracekin's spans and their LTTng events.", "tracekin");
  app.require_subcommand(1);
  app.set_version_flag("--version", "tracekin " TRACEKIN_VERSION);
  int status = 0;
  tracekin::record::AddSubcommand(&app, &status);
  CLI11_PARSE(app, argc, argv);
  return status;
}
