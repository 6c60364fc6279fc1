// SPDX-License-Identifier: Apache-2.0
// The program `tracekin`: tools around the library, one subcommand each.
#include "tools/command_line.h"
#include "tools/subcommand.h"

int main(int argc, char** argv) {
  using namespace tracekin::tools;
  // The order of this table is the order in --help.
  return RunCommandLine({kRecord, kLs, kShow, kWhy, kTop, kCompare}, argc, argv);
}
