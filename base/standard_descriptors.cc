// SPDX-License-Identifier: Apache-2.0
#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace tracekin {

int AboveStandardDescriptors(int descriptor) noexcept {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  errno = error;
  return copy;
}

// A socket needs no file system, and its inode tells it from what the host may open in its place.
StandardDescriptorsTaken::StandardDescriptorsTaken() noexcept {
  for (int number = 0; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) != -1) continue;
    const int opened = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened > STDERR_FILENO) {
      close(opened);  // another thread was quicker
    } else if (opened != -1) {
      taken_[static_cast<std::size_t>(opened)].Set(opened);
    }
  }
}

}  // namespace tracekin
