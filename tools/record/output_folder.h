// SPDX-License-Identifier: Apache-2.0
// Prepares the output folder of a trace so that no other user can tamper with it: root's session
// daemon writes there as root.
//
// Thread-safety: the functions depend only on their arguments and the file system.
#ifndef TRACEKIN_TOOLS_RECORD_OUTPUT_FOLDER_H
#define TRACEKIN_TOOLS_RECORD_OUTPUT_FOLDER_H

#include <string>

#include "tools/record/account.h"

namespace tracekin::record {

/// Makes `folder` (absolute) and its missing parents, for this user only. An existing folder is
/// accepted if it is empty, not a link, owned by this user, and not writable by others. A parent
/// that everybody can write to must have the sticky bit. The folder directly in it must belong to
/// this user, to root, or under sudo to the caller.
///
/// The owner of any other parent can still replace the folders below it by a link. Returns the path
/// without links. Throws RecordError.
std::string PrepareOutputFolder(const std::string& folder);

/// Makes `account` the owner of a folder that PrepareOutputFolder() returned and of all that it
/// contains, so that the user who called sudo can read the recording. Does not follow links. Stops
/// at the first failure.
void GiveOutputFolder(const std::string& folder, const Account& account);

}  // namespace tracekin::record

#endif  // TRACEKIN_TOOLS_RECORD_OUTPUT_FOLDER_H
