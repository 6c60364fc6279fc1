// SPDX-License-Identifier: Apache-2.0
// Runs the recorded command as a child process, and waits for the events that end a recording.
//
// Thread-safety: one thread, and one Program per process, because it takes over SIGINT, SIGTERM and
// SIGCHLD.
#ifndef TRACEKIN_TOOLS_RECORD_PROGRAM_H
#define TRACEKIN_TOOLS_RECORD_PROGRAM_H

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/record/account.h"

namespace tracekin::record {

/// Restores the default action of SIGCHLD. If the parent ignores it, that is inherited, and the end
/// of a child would not be noticed. Our children inherit the default action as well, as under
/// timeout(1).
void NoticeEndsOfChildren();

class Program {
 public:
  /// Keeps SIGINT, SIGTERM and SIGHUP pending for Wait(). Signals that the parent ignores, as under
  /// nohup(1), stay ignored. SIGPIPE is ignored because liblttng-ctl raises it when the daemon
  /// hangs up. The command gets its original action. Does not start the command.
  Program();

  /// Starts the command, as the user `account` if there is one. Sets TRACEKIN_UST_ENABLED=true
  /// unless that variable exists, so that the command's tracers emit events. If the command cannot
  /// be run, prints the reason and returns false.
  bool Start(const std::vector<std::string>& command, const std::optional<Account>& account);

  enum class Event { kTimeout, kEnded, kSignal };

  /// Waits for the end of the command, a signal that asks the recording to end, or the timeout.
  Event Wait(std::chrono::milliseconds timeout);

  /// Passes the received signal to the command, unless the terminal has already sent it there.
  void PassOn() const;

  /// Returns the process id of the command while it runs, otherwise 0.
  pid_t pid() const { return pid_; }

  /// Returns the exit status: the command's status, 128 + the signal that ended it, or 0 without a
  /// command.
  int status() const { return status_; }

 private:
  [[noreturn]] void Become(char** arguments, const std::optional<Account>& account,
                           int report) const;

  sigset_t signals_;
  sigset_t inherited_;
  bool pipe_was_ignored_ = false;
  pid_t pid_ = 0;  // 0: not started, or ended
  int signal_ = 0;
  bool from_terminal_ = false;
  int status_ = 0;
};

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_PROGRAM_H
