// SPDX-License-Identifier: Apache-2.0
// An LTTng session that follows a plan, from its creation to its destruction, and the daemon it needs.
//
// Every failure is a RecordError whose text is a sentence for the user: what cannot be done and what
// helps. Thread-safety: one thread.
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

/// The sentence for an LTTng error code (as liblttng-ctl returns it, negative) of a step in words, such
/// as "enable the event sched_switch".
std::string Explain(const std::string& step, int code);

/// Starts lttng-sessiond if none answers: root's if this is root, else the user's own, which cannot
/// trace the kernel. It stays when we end, as it does after lttng(1).
void EnsureDaemon();

class Session {
 public:
  /// Creates the session with all of the plan's channels, and starts it.
  explicit Session(const Plan& plan);

  /// Destroys it, if Finish() did not.
  ~Session();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// How many events LTTng has discarded so far, for want of room in its buffers.
  std::uint64_t Discarded() const;

  /// Stops it, writes the snapshot if it is one, and destroys it: all that was recorded is on the disk.
  void Finish();

 private:
  void Enable(const Channel& channel);
  void Track();

  const Plan plan_;
  bool created_ = false;
};

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_SESSION_H
