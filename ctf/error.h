// SPDX-License-Identifier: Apache-2.0
// The ways in which reading a trace fails.
//
// Thread-safety: plain exceptions.
#ifndef TRACEKIN_CTF_ERROR_H
#define TRACEKIN_CTF_ERROR_H

#include <stdexcept>

namespace tracekin::ctf {

/// The trace cannot be read. The message names the file, and the offset in it if that is known.
class ReadError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The project's own reader does not understand all of the metadata. libbabeltrace2 may understand
/// it.
class NotUnderstood : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The metadata contradicts itself in a way that makes libbabeltrace2 2.0 abort the process. It
/// must therefore not read this trace.
class WrongMetadata : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_ERROR_H
