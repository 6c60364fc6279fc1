// SPDX-License-Identifier: Apache-2.0
// Finds the completions that a shell offers while a command line is typed. They are derived from
// the options themselves, so that they cannot differ from them. The scripts in completion/ pass
// them to bash, zsh and fish.
//
// Thread-safety: the function only accesses its arguments.
#ifndef TRACEKIN_TOOLS_COMPLETION_H
#define TRACEKIN_TOOLS_COMPLETION_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tracekin::tools {

/// Returns the completions of the last of `words`, which follow the program's name. Each line is a
/// word, a tab and a description of the word. A line `:folder`, `:file` or `:command` requests that
/// the shell complete names of folders, names of files, or a program and its arguments.
std::string Complete(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_COMPLETION_H
