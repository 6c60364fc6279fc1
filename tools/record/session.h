// SPDX-License-Identifier: Apache-2.0
// Runs an LTTng session according to a plan, from its creation to its destruction, and starts the
// session daemon if necessary.
//
// Every failure is a RecordError. Its message tells the user which step failed and how to fix it.
// Thread-safety: one thread.
#ifndef TRACEKIN_TOOLS_RECORD_SESSION_H
#define TRACEKIN_TOOLS_RECORD_SESSION_H

#include <cstdint>
#include <stdexcept>
#include <string>

#include "tools/record/plan.h"

namespace tracekin::record {

struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the message for an LTTng error code, which is negative as liblttng-ctl returns it.
/// `step` is the step that failed, such as "enable the event sched_switch".
std::string Explain(const std::string& step, int code);

/// Starts lttng-sessiond if no daemon answers. A daemon that root starts can trace the kernel, but
/// the daemon of another user cannot. The daemon keeps running afterwards, as it does after
/// lttng(1). Returns whether it started one.
bool EnsureDaemon();

/// Throws RecordError unless the session daemon has a kernel tracer. Must be the first use of the
/// kernel domain, because otherwise a daemon without a kernel tracer just hangs up.
void RequireKernelTracer();

class Session {
 public:
  /// Creates the session with all channels of the plan, and starts it.
  explicit Session(const Plan& plan);

  /// Destroys the session unless Finish() did.
  ~Session();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns how many events LTTng has discarded so far because its buffers were full.
  std::uint64_t Discarded() const;

  /// Stops the session, writes the snapshot if the plan asks for one, and destroys the session.
  /// After that, all recorded events are on disk.
  void Finish();

 private:
  void Enable(const Channel& channel);
  void Track();

  const Plan plan_;
  bool created_ = false;
};

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_SESSION_H
