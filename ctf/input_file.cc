// SPDX-License-Identifier: Apache-2.0
#include "ctf/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ctf/error.h"

namespace tracekin::ctf {

InputFile::InputFile(const std::string& path) : path_(path) {
  descriptor_.Set(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat file;
  if (descriptor_.get() == -1 || fstat(descriptor_.get(), &file) != 0) {
    throw ReadError(path + ": " + std::strerror(errno));
  }
  size_ = static_cast<std::uint64_t>(file.st_size);
}

std::size_t InputFile::Read(std::uint64_t offset, void* into, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t read = pread(descriptor_.get(), static_cast<char*>(into) + done, size - done,
                               static_cast<off_t>(offset + done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) throw ReadError(path_ + ": " + std::strerror(errno));
    if (read == 0) break;
    done += static_cast<std::size_t>(read);
  }
  return done;
}

}  // namespace tracekin::ctf
