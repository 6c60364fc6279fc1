// SPDX-License-Identifier: Apache-2.0
// Shows how far a long task has come, with the time that is left, on the last line of a terminal.
//
// Thread-safety: one thread.
#ifndef TRACEKIN_TOOLS_PROGRESS_H
#define TRACEKIN_TOOLS_PROGRESS_H

#include <chrono>
#include <string>

namespace tracekin::tools {

/// Returns a line such as "reading  [#####     ]  50 %, 12 s left". `share` is between 0 and 1. If
/// it is 0, which means unknown, the line shows the time that has passed.
std::string ProgressLine(const std::string& what, double share, double seconds);

class Progress {
 public:
  /// Shows nothing unless standard error is a terminal.
  explicit Progress(std::string what);
  /// Erases the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Erases the line until the next update. Needed before other text is written to the terminal.
  void Erase();

  /// Updates the line, at most ten times per second, once the task has taken a second.
  void Update(double share);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string what_;
  const bool on_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::seconds(1);
  bool shown_ = false;
};

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_PROGRESS_H
