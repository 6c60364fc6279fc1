// SPDX-License-Identifier: Apache-2.0
// Writes lines for the operator to standard error, the default if the program does not set a
// logger.
//
// The reader of the host's standard error may be slow or gone. A line that cannot be written
// immediately is dropped, and the next line that can be written reports how many were lost. Writing
// can still block in two cases. One is a file on a disk that hangs. The other is a terminal, or a
// pipe with other writers, that this process may not open because its owner is another user or
// /proc is missing.
//
// Thread-safety: any thread may call these functions. SayOnStandardError changes neither the flags
// of standard error, which other processes may share, nor the signals of the host.
#ifndef TRACEKIN_BASE_STANDARD_ERROR_H
#define TRACEKIN_BASE_STANDARD_ERROR_H

#include <string>
#include <string_view>

#include "base/private_api.h"

namespace tracekin {

/// Returns a line of the log without a newline: the time in UTC, the process, the service unless it
/// is empty, and the message. Throws std::bad_alloc.
std::string LogLine(std::string_view service, std::string_view message);

/// Writes a LogLine() and a newline. Throws std::bad_alloc.
TRACEKIN_PRIVATE_API void SayOnStandardError(const std::string& message,
                                             std::string_view service = {});

/// Returns whether everything that is written to standard error is lost, because it is /dev/null.
bool StandardErrorIsNull() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_STANDARD_ERROR_H
