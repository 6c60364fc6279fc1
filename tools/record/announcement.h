// SPDX-License-Identifier: Apache-2.0
// What `tracekin record` says before it records.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_TOOLS_RECORD_ANNOUNCEMENT_H
#define TRACEKIN_TOOLS_RECORD_ANNOUNCEMENT_H

#include <string>

#include "tools/record/plan.h"

namespace tracekin::record {

/// Returns lines that say what is recorded, where to, and how the recording ends. `daemon_started`:
/// whether a session daemon was started. `caller`: the user who called sudo; may be empty.
std::string Announcement(const Options& options, bool daemon_started, const std::string& caller);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_ANNOUNCEMENT_H
