// SPDX-License-Identifier: Apache-2.0
// Finds the running programs that have the tracer, and why they record no events.
//
// Reads /proc. What another user's process has loaded is known only to root.
//
// Thread-safety: the functions use only their arguments and files.
#ifndef TRACEKIN_TOOLS_PROCESSES_H
#define TRACEKIN_TOOLS_PROCESSES_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace tracekin::tools {

/// Information about a running process.
struct Process {
  pid_t pid = 0;
  uid_t user = 0;
  std::string name;       // name of its first thread
  bool readable = false;  // true if the members below are known
  std::string tracer;     // path of the loaded library that contains the tracer; empty: none
  bool provider = false;  // true if libtracekin_ust.so, which emits the events, is loaded
  bool provider_installed = false;  // true if the tracer can find that library
  std::string setting;              // TRACEKIN_UST_ENABLED at its start
  std::string lttng_home;           // the folder in which LTTng looks for the user's session daemon
  bool other_files = false;         // true if it is in another mount namespace, as in a container

  bool traced() const { return !tracer.empty() || provider; }
};

/// Returns a process, or nothing if it does not exist or has ended.
std::optional<Process> LookAt(pid_t pid);

/// Returns a process and all its descendants that still run.
std::vector<Process> LookAtTree(pid_t pid);

/// Returns all processes that have the tracer.
std::vector<Process> TracedProcesses();

/// Returns the reason why the session daemon that answers this process gets no events from
/// `process`, as a clause such as "has not loaded tracekin". Returns "" if the daemon gets the
/// events of its spans.
std::string WhyNoEvents(const Process& process);

}  // namespace tracekin::tools

#endif  // TRACEKIN_TOOLS_PROCESSES_H
