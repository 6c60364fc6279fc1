// SPDX-License-Identifier: Apache-2.0
// The program `tracekin`: tools around the library, one subcommand each.
#include "tools/command_line.h"
#include "tools/subcommand.h"

int main(int argc, char** argv) {
  using namespace tracekin::tools;
  // In the order in which --help lists them.
  return RunCommandLine({kRecord, kLs, kShow, kWhy, kTop, kCompare, kCheck, kDoctor}, argc, argv);
}
