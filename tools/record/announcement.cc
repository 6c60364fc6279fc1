// SPDX-License-Identifier: Apache-2.0
#include "tools/record/announcement.h"

#include <cstdio>

#include "base/terminal.h"

namespace tracekin::record {

namespace {

std::string What(const Options& options) {
  std::string what = "spans of all programs";
  if (!options.pids.empty()) {
    what = "spans of the process";
    if (options.pids.size() > 1) what += "es";
    for (const pid_t pid : options.pids) what += ' ' + std::to_string(pid);
  }
  if (options.kernel) {
    what += options.profile == Profile::kLight ? " and kernel events"
                                               : " and kernel events with all system calls";
  }
  if (options.snapshot) what += "; the last of them are kept in memory until the end";
  return what;
}

std::string Ends(const Options& options) {
  std::string ends;
  if (!options.command.empty()) ends = "when " + ForTerminal(options.command[0]) + " ends, ";
  if (options.duration_s > 0) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "after %g s, ", options.duration_s);
    ends += seconds;
  }
  return ends.empty() ? "with Ctrl-C" : ends + "or with Ctrl-C";
}

}  // namespace

std::string Announcement(const Options& options, bool daemon_started, const std::string& caller) {
  std::string text = "record: recording into " + ForTerminal(options.output) + ": " +
                     What(options) + "\nrecord: ends " + Ends(options) + '\n';
  if (daemon_started) {
    text += "record: started LTTng's session daemon, which keeps running after the recording\n";
  }
  if (!caller.empty() && !options.command.empty() && options.user.empty()) {
    text += "record: " + ForTerminal(options.command[0]) + " runs as root; --user runs it as " +
            ForTerminal(caller) + '\n';
  }
  return text;
}

}  // namespace tracekin::record
