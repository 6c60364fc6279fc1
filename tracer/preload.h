// SPDX-License-Identifier: Apache-2.0
// Prepares a process for tracers that it or its children make later.
//
// HAProxy loads the plugin as root and makes its tracers in the worker: after chroot(), as another
// user, and where an invalid configuration ends all workers. If TRACEKIN_CONFIG names the
// configuration, the plugin checks it while it is loaded, and reads what a worker cannot read.
#ifndef TRACEKIN_TRACER_PRELOAD_H
#define TRACEKIN_TRACER_PRELOAD_H

#include <string>

namespace tracekin {

/// Checks the configuration in the file that the environment variable TRACEKIN_CONFIG names, with
/// the environment's other settings, and reads the files and the address of its collector. Logs a
/// message if one of them cannot be read. Returns an error message if the configuration is invalid,
/// and otherwise "". Does nothing in a set-user-ID program, or if the variable is not set. Throws
/// std::bad_alloc. REQUIRES: no other thread changes the environment.
std::string PreloadConfiguration();

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_PRELOAD_H
