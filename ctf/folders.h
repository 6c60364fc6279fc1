// SPDX-License-Identifier: Apache-2.0
// Finds the traces below a folder, and the files that contain their events.
//
// Thread-safety: the functions only access their arguments and the files.
#ifndef TRACEKIN_CTF_FOLDERS_H
#define TRACEKIN_CTF_FOLDERS_H

#include <string>
#include <vector>

namespace tracekin::ctf {

/// Returns every folder in `folders` or below them that contains a non-empty file `metadata`,
/// sorted and without duplicates. LTTng writes this file before the first event, so there are no
/// events if it is empty. Throws ReadError.
std::vector<std::string> FindTraces(const std::vector<std::string>& folders);

/// Returns the files of the trace in `folder` that may contain packets, sorted. Throws ReadError.
std::vector<std::string> StreamFiles(const std::string& folder);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_FOLDERS_H
