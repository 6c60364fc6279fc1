// SPDX-License-Identifier: Apache-2.0
// What a recording consists of, as plain data: which events of the kernel and of tracekin, with which
// contexts, in which buffers. session.h carries a plan out, and LttngCommands() tells how lttng(1) would.
//
// Thread-safety: functions of their arguments.
#ifndef TRACEKIN_TOOLS_RECORD_PLAN_H
#define TRACEKIN_TOOLS_RECORD_PLAN_H

#include <lttng/lttng.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tracekin::record {

/// What the user asked for.
struct Options {
  bool kernel = false;
  bool snapshot = false;
  bool dry_run = false;
  bool summary = true;
  std::string output;                     // absolute
  std::uint64_t buffer_bytes = 16 << 20;  // of one CPU and domain; 1 TiB at most
  std::vector<pid_t> pids;                // none: every process
  double duration_s = 0;                  // 0: until the command ends, or a signal comes
  std::vector<std::string> command;       // may be empty
};

struct Event {
  std::string name;  // may end with a star
  lttng_event_type type = LTTNG_EVENT_TRACEPOINT;
  bool optional = false;  // not every kernel has it
};

struct Context {
  const char* name;  // as lttng(1) has it
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

/// Each CPU's buffer of a channel is divided into this many sub-buffers: with less than four, LTTng's
/// consumer has to be fast; with more, each is too small for a span with large tags.
constexpr unsigned kSubbufs = 8;

/// `session` is the name that the session gets.
Plan MakePlan(const Options& options, const std::string& session);

/// The lttng(1) commands that set up and start the same session, ready for a shell.
std::vector<std::string> LttngCommands(const Plan& plan);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_PLAN_H
