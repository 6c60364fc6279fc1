// A line for the operator on standard error, where the program has not said where such lines go.
//
// Thread-safety: any thread. Throws std::bad_alloc.
#ifndef TRACEKIN_TRACER_STANDARD_ERROR_H
#define TRACEKIN_TRACER_STANDARD_ERROR_H

#include <unistd.h>

#include <string>

namespace tracekin {

inline void SayOnStandardError(const std::string& message) {
  const std::string line = "tracekin: " + message + '\n';
  // One write, so that lines of several processes do not mix. Nothing can be done where there is no
  // stderr.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_STANDARD_ERROR_H
