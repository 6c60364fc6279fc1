// SPDX-License-Identifier: Apache-2.0
// Reads a file of a trace at given offsets. Does not map the file into memory, so that a file that
// becomes shorter causes an error and not a signal.
//
// Owns the descriptor. Thread-safety: one thread at a time.
#ifndef TRACEKIN_CTF_INPUT_FILE_H
#define TRACEKIN_CTF_INPUT_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file_descriptor.h"

namespace tracekin::ctf {

class InputFile {
 public:
  /// Opens the file `path`. Throws ReadError.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// Returns the size in bytes that the file had when it was opened.
  std::uint64_t size() const { return size_; }

  /// Reads `size` bytes from `offset` on, or fewer if the file ends. Returns the number of bytes.
  /// Throws ReadError.
  std::size_t Read(std::uint64_t offset, void* into, std::size_t size) const;

 private:
  const std::string path_;
  FileDescriptor descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_INPUT_FILE_H
