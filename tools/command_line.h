// SPDX-License-Identifier: Apache-2.0
// The manners that all subcommands share: --help, --version, what is said of a wrong command line,
// exit statuses, and the completion of words for shells.
//
// Thread-safety: one thread.
#ifndef TRACEKIN_TOOLS_COMMAND_LINE_H
#define TRACEKIN_TOOLS_COMMAND_LINE_H

#include <vector>

#include "tools/subcommand.h"

namespace tracekin::tools {

/// Runs the subcommand that the command line names, and returns the exit status of the program.
/// Help and the version go to standard output, everything else that it says to standard error.
///
/// `tracekin __complete WORD...` prints what may stand in the place of the last WORD, in the form
/// that tools/completion.h describes. The scripts in completion/ ask that way.
int RunCommandLine(const std::vector<Subcommand>& subcommands, int argc, const char* const* argv);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_COMMAND_LINE_H
