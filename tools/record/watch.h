// SPDX-License-Identifier: Apache-2.0
// Watches the programs that are to be recorded, so that a recording without spans can say why.
//
// Thread-safety: none.
#ifndef TRACEKIN_TOOLS_RECORD_WATCH_H
#define TRACEKIN_TOOLS_RECORD_WATCH_H

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/processes.h"

namespace tracekin::record {

class Watch {
 public:
  /// Watches the processes `pids`, if there are any.
  explicit Watch(std::vector<pid_t> pids) : pids_(std::move(pids)) {}

  /// Checks the chosen processes and, unless `command` is 0, the command and the processes that it
  /// has started. Does nothing once one of them emits events.
  void Look(pid_t command);

  /// Returns the time until Look() should be called again. It grows, because Look() is slow.
  std::chrono::milliseconds interval() const {
    return emits_ ? std::chrono::milliseconds::max() : interval_;
  }

  /// Returns lines of text with the reason why there are no spans. If no processes are watched,
  /// checks all processes.
  std::string WhyNoSpans() const;

 private:
  const std::vector<pid_t> pids_;
  std::map<pid_t, tools::Process> seen_;
  bool emits_ = false;
  bool commanded_ = false;
  std::chrono::milliseconds interval_{20};
};

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_WATCH_H
