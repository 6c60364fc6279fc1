// SPDX-License-Identifier: Apache-2.0
// The behaviour that all subcommands share: --help, --version, error messages about the command
// line, exit statuses, and the completion of words for shells.
//
// Thread-safety: one thread.
#ifndef TRACEKIN_TOOLS_COMMAND_LINE_H
#define TRACEKIN_TOOLS_COMMAND_LINE_H

#include <vector>

#include "tools/subcommand.h"

namespace tracekin::tools {

/// Runs the subcommand that the command line names, and returns the exit status of the program.
/// Prints help and the version to standard output, and all other messages to standard error.
///
/// `tracekin __complete WORD...` prints the possible completions of the last WORD, in the format
/// that tools/completion.h describes. The scripts in completion/ use this.
int RunCommandLine(const std::vector<Subcommand>& subcommands, int argc, const char* const* argv);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_COMMAND_LINE_H
