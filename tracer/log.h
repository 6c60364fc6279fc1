// SPDX-License-Identifier: Apache-2.0
// Writes the messages of a tracer whose program has no logger of its own to log.target.
//
// A line that cannot be written to syslog or to the file goes to standard error instead.
//
// Thread-safety: any thread may call the logger. It does not block, except for a disk that hangs
// (base/standard_error.h).
#ifndef TRACEKIN_TRACER_LOG_H
#define TRACEKIN_TRACER_LOG_H

#include "tracekin/options.h"

namespace tracekin {

/// Returns options.logger, or a logger for log.target if it is empty. Throws std::bad_alloc.
Logger LoggerOf(const Options& options);

/// Warns of environment variables that look like a setting's, but are not. REQUIRES: no other
/// thread changes the environment.
void LogUnknownVariables(const Options& options);

/// Sends one message to the system's log, in which it is from the program "tracekin" and of the
/// facility "daemon". Returns whether it was accepted. Throws std::bad_alloc.
bool SendToSyslog(LogLevel level, const std::string& service, const std::string& message,
                  const char* socket = "/dev/log");

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_LOG_H
