// SPDX-License-Identifier: Apache-2.0
// The folder that a trace is written to, which no other user may have a hand in: root's session
// daemon writes there as root.
//
// Thread-safety: functions of their arguments and the file system.
#ifndef TRACEKIN_TOOLS_RECORD_OUTPUT_FOLDER_H
#define TRACEKIN_TOOLS_RECORD_OUTPUT_FOLDER_H

#include <string>

namespace tracekin::record {

/// Makes `folder` (absolute), with the folders above it, for this user alone; or takes it as it is,
/// if it is there, empty, a folder and no link, this user's, and not for others to write to. Of the
/// folders above it, one that everybody may write to must have the sticky bit, and what lies in
/// that must be this user's, root's, or under sudo the caller's. Who owns another folder above can
/// still put a link in the place of what is below it. Returns the path without links. Throws
/// RecordError.
std::string PrepareOutputFolder(const std::string& folder);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_OUTPUT_FOLDER_H
