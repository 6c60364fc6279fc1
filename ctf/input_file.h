// SPDX-License-Identifier: Apache-2.0
// A file of a trace that is read at given offsets, without a mapping: a file that becomes shorter
// while it is read is an error then, and no signal.
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
  /// Throws ReadError.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }

  /// Reads up to `size` bytes from `offset` on; fewer only at the file's end. Throws ReadError.
  std::size_t Read(std::uint64_t offset, void* into, std::size_t size) const;

 private:
  const std::string path_;
  FileDescriptor descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_INPUT_FILE_H
