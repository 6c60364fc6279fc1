// SPDX-License-Identifier: Apache-2.0
// Declares the subcommands of the program `tracekin`, and their interface.
//
// To add a subcommand, define it in a file NAME.cc, and add a line at the end of this header, a row
// in the table of main.cc, the manual page man/tracekin-NAME.1, and its name in man/tracekin.1.
#ifndef TRACEKIN_TOOLS_SUBCOMMAND_H
#define TRACEKIN_TOOLS_SUBCOMMAND_H

#include <functional>

namespace CLI {
class App;
}

namespace tracekin::tools {

/// The program's exit statuses, like those of grep(1) and cmp(1). `record` exits with its command's
/// status.
enum ExitStatus : int {
  kFound = 0,         // success; with filters or ids, something matched
  kNothingFound = 1,  // nothing matched
  kTrouble = 2,       // the command line is wrong, or the subcommand failed
};

struct Subcommand {
  const char* name;
  const char* summary;  // one sentence on one line, for --help

  /// Adds the options and arguments to `app`, which is this subcommand's part of the command line,
  /// and returns a function that runs it. This function is called at most once, after the command
  /// line was parsed without errors, and returns the exit status. If it throws, the exception's
  /// text is printed to standard error unchanged, and the status is kTrouble. Code that throws must
  /// therefore pass untrusted text through ForTerminal().
  ///
  /// Names the values of options with type_name(). --help, the manual and the completion of shells
  /// use these names: FOLDER and TRACE are folders, FILE is a file, and COMMAND is a program with
  /// its arguments.
  std::function<int()> (*add)(CLI::App* app);
};

extern const Subcommand kRecord;
extern const Subcommand kLs;
extern const Subcommand kShow;
extern const Subcommand kWhy;
extern const Subcommand kTop;
extern const Subcommand kCompare;
extern const Subcommand kCheck;
extern const Subcommand kDoctor;

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_SUBCOMMAND_H
