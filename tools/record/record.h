// SPDX-License-Identifier: Apache-2.0
// `tracekin record`: an LTTng session of the kernel and of tracekin's events, with one command.
#ifndef TRACEKIN_TOOLS_RECORD_RECORD_H
#define TRACEKIN_TOOLS_RECORD_RECORD_H

#include <CLI/App.hpp>

namespace tracekin::record {

/// Adds the subcommand. When it was given and the command line is right, `*status` is the exit status that
/// it ended with: the recorded command's, or 1 and a sentence on standard error.
void AddSubcommand(CLI::App* app, int* status);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_RECORD_H
