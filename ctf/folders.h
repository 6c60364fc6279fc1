// SPDX-License-Identifier: Apache-2.0
// Where the traces lie below a folder, and where each keeps its events.
//
// Thread-safety: functions of their arguments and the files.
#ifndef TRACEKIN_CTF_FOLDERS_H
#define TRACEKIN_CTF_FOLDERS_H

#include <string>
#include <vector>

namespace tracekin::ctf {

/// Every folder below `folders`, themselves included, with a file `metadata` that is not empty;
/// sorted, each once. LTTng makes the file before the first event, so one that is empty has no
/// events beside it. Throws ReadError.
std::vector<std::string> FindTraces(const std::vector<std::string>& folders);

/// The files of the trace in `folder` that may have packets; sorted. Throws ReadError.
std::vector<std::string> StreamFiles(const std::string& folder);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_FOLDERS_H
