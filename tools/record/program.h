// SPDX-License-Identifier: Apache-2.0
// The command that is recorded, as a child process, and what ends a recording.
//
// Thread-safety: one thread, and one Program a process: it takes over SIGINT, SIGTERM and SIGCHLD.
#ifndef TRACEKIN_TOOLS_RECORD_PROGRAM_H
#define TRACEKIN_TOOLS_RECORD_PROGRAM_H

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tracekin::record {

/// Undoes that a parent ignores SIGCHLD, which is inherited: no end of a child would be noticed.
/// Our children have the default, too, as under timeout(1).
void NoticeEndsOfChildren();

class Program {
 public:
  /// From now on SIGINT, SIGTERM and SIGHUP wait for Wait(), but for those that a parent ignores,
  /// as nohup(1) does: they stay ignored. SIGPIPE is ignored too, for liblttng-ctl raises it when
  /// the daemon hangs up; the command has it as it was. Starts nothing.
  Program();

  /// Starts the command, with TRACEKIN_UST_ENABLED=true unless the environment says otherwise: its
  /// tracers are to emit events. Returns false, having said why, if it cannot be run.
  bool Start(const std::vector<std::string>& command);

  enum class Event { kTimeout, kEnded, kSignal };

  /// Waits for the end of the command, a signal that asks us to end, or the timeout.
  Event Wait(std::chrono::milliseconds timeout);

  /// Passes the signal that came on to the command, unless the terminal did so already.
  void PassOn() const;

  /// What to exit with: the command's status, 128 + the signal that ended it, or 0 without a
  /// command.
  int status() const { return status_; }

 private:
  sigset_t signals_;
  sigset_t inherited_;
  bool pipe_was_ignored_ = false;
  pid_t pid_ = 0;  // 0: none, or it has ended
  int signal_ = 0;
  bool from_terminal_ = false;
  int status_ = 0;
};

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_PROGRAM_H
