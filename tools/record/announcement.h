// SPDX-License-Identifier: Apache-2.0
// What `tracekin record` says before it records.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_TOOLS_RECORD_ANNOUNCEMENT_H
#define TRACEKIN_TOOLS_RECORD_ANNOUNCEMENT_H

#include <string>

#include "tools/record/plan.h"

namespace tracekin::record {

/// Returns lines that describe the recorded events, the output folder, and the end of the
/// recording. `daemon_started` is true if a session daemon was started. `caller` is the user who
/// called sudo, or empty.
std::string Announcement(const Options& options, bool daemon_started, const std::string& caller);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_ANNOUNCEMENT_H
