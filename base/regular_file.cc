// SPDX-License-Identifier: Apache-2.0
#include "base/regular_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file_descriptor.h"
#include "base/standard_descriptors.h"

namespace tracekin {

namespace {

std::string LastError() { return std::generic_category().message(errno); }

}  // namespace

std::string ReadRegularFile(const std::string& path, std::size_t max_bytes, std::string* content,
                            struct stat* file) {
  content->clear();
  // O_NONBLOCK has no effect on regular files.
  const int opened =
      AboveStandardDescriptors(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (opened < 0) return LastError();
  FileDescriptor descriptor;
  descriptor.Set(opened);
  struct stat state;
  if (fstat(opened, &state) != 0) return LastError();
  if (!S_ISREG(state.st_mode)) return "not a regular file";
  if (file != nullptr) *file = state;
  content->resize(max_bytes + 1);
  std::size_t size = 0;
  while (size <= max_bytes) {
    const ssize_t got = read(opened, content->data() + size, content->size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return LastError();
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  content->resize(size);
  return size <= max_bytes ? std::string() : "longer than " + std::to_string(max_bytes) + " bytes";
}

}  // namespace tracekin
