// SPDX-License-Identifier: Apache-2.0
// What a shell may offer while a command line is typed. It is found from the options themselves, so
// that it cannot differ from them; the scripts in completion/ pass it on to bash, zsh and fish.
//
// Thread-safety: a function of its arguments.
#ifndef TRACEKIN_TOOLS_COMPLETION_H
#define TRACEKIN_TOOLS_COMPLETION_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tracekin::tools {

/// What may stand in the place of the last of `words`, which follow the program's name. Each line
/// is a word, a tab and what the word means. A line `:folder`, `:file` or `:command` says that
/// names of folders, of files, or a program and its arguments fit, which the shell knows better.
std::string Complete(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_COMPLETION_H
