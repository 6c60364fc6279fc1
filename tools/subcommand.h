// SPDX-License-Identifier: Apache-2.0
// The subcommands of the program `tracekin`, and what each of them is.
//
// A new one takes a file NAME.cc that defines it, a line at the end of this header, a row in the
// table of main.cc, the manual page man/tracekin-NAME.1, and its name in man/tracekin.1.
#ifndef TRACEKIN_TOOLS_SUBCOMMAND_H
#define TRACEKIN_TOOLS_SUBCOMMAND_H

#include <functional>

namespace CLI {
class App;
}

namespace tracekin::tools {

/// What the program exits with, as grep(1) and cmp(1) do. `record` exits with its command's status.
enum ExitStatus : int {
  kFound = 0,         // done, and for a question: something matched
  kNothingFound = 1,  // nothing matched
  kTrouble = 2,       // the command line is wrong, or what it asks for cannot be done
};

struct Subcommand {
  const char* name;
  const char* summary;  // one sentence on one line, for --help

  /// Adds the options and arguments to `app`, which is this subcommand's part of the command line,
  /// and returns what carries it out: called at most once, after the command line was found right.
  /// Its result is the exit status. An exception becomes a line on standard error and kTrouble; its
  /// text is printed as it is, so whoever throws passes the words of others through ForTerminal().
  ///
  /// Names the values of options by type_name(), because --help, the manual and the completion of
  /// shells go by that name: FOLDER and TRACE are folders, FILE is a file, COMMAND is a program
  /// with its arguments.
  std::function<int()> (*add)(CLI::App* app);
};

extern const Subcommand kRecord;
extern const Subcommand kLs;
extern const Subcommand kShow;
extern const Subcommand kWhy;
extern const Subcommand kTop;
extern const Subcommand kCompare;

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_SUBCOMMAND_H
