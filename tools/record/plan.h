// SPDX-License-Identifier: Apache-2.0
// Describes a recording as plain data: the events of the kernel and of tracekin, their contexts,
// and their buffers. session.h carries out a plan, and LttngCommands() returns the equivalent
// lttng(1) commands.
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_TOOLS_RECORD_PLAN_H
#define TRACEKIN_TOOLS_RECORD_PLAN_H

#include <lttng/lttng.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tracekin::record {

/// The set of kernel events that are recorded.
enum class Profile {
  kLight,  // the events that `tracekin why` needs to find causes
  kFull    // also all system calls, and the events that Trace Compass shows
};

/// The user's options.
struct Options {
  bool kernel = false;
  Profile profile = Profile::kLight;
  bool snapshot = false;
  bool dry_run = false;
  bool summary = true;
  std::string output;                     // absolute
  std::uint64_t buffer_bytes = 16 << 20;  // per CPU and domain, up to 1 TiB
  std::vector<pid_t> pids;                // empty: all processes
  double duration_s = 0;                  // 0: until the command ends or a signal arrives
  std::vector<std::string> command;       // may be empty
  std::string user;                       // runs the command; empty: the user who records
};

struct Event {
  std::string name;  // may end with a star
  lttng_event_type type = LTTNG_EVENT_TRACEPOINT;
  bool optional = false;  // some kernels do not have it
};

struct Context {
  const char* name;  // the domain's name in lttng(1)
  lttng_event_context_type type;
};

struct Channel {
  lttng_domain_type domain;
  std::string name;
  std::vector<Event> events;
  std::vector<Context> contexts;
};

struct Plan {
  std::string session;
  std::string output;
  bool snapshot = false;
  std::uint64_t subbuf_bytes = 0;  // a power of two
  std::vector<Channel> channels;
  std::vector<pid_t> pids;
};

/// The number of sub-buffers in each CPU's buffer of a channel. With fewer than four, LTTng's
/// consumer must be fast. With more than eight, each is too small for a span with large tags.
constexpr unsigned kSubbufs = 8;

/// Returns the plan for `options`. `session` is the name of the session.
Plan MakePlan(const Options& options, const std::string& session);

/// Returns the lttng(1) commands that set up and start the same session, ready for a shell.
std::vector<std::string> LttngCommands(const Plan& plan);

/// Returns the shell commands that make the same recording. They start a session daemon if none
/// runs, set up the session, run the command, and end the session. If there is neither a command
/// nor a duration, omits the commands that end the session.
std::vector<std::string> ShellCommands(const Options& options, const Plan& plan);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_PLAN_H
