// SPDX-License-Identifier: Apache-2.0
// Lines for the operator on standard error, where the program has not said where such lines go.
//
// The host may have given its standard error to somebody who does not read it, or who is gone. A
// line that cannot be written at once is lost, and the next one that can be says how many were. Two
// kinds of standard error may still be waited for: a file on a disk that hangs, and a terminal, or
// a pipe that others write to as well, which this process may not open (its owner is another user,
// or /proc is not there).
//
// Thread-safety: any thread. Changes neither the flags of standard error, which other processes may
// share, nor the signals of the host.
#ifndef TRACEKIN_BASE_STANDARD_ERROR_H
#define TRACEKIN_BASE_STANDARD_ERROR_H

#include <string>

namespace tracekin {

/// Writes "tracekin: ", `message` and a newline. Throws std::bad_alloc.
void SayOnStandardError(const std::string& message);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_STANDARD_ERROR_H
