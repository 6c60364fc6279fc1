// SPDX-License-Identifier: Apache-2.0
#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <mutex>
#include <new>

#include "base/file_descriptor.h"
#include "base/no_destructor.h"

namespace tracekin {

namespace {

struct Taken {
  std::mutex mutex;
  int users = 0;
  std::array<FileDescriptor, STDERR_FILENO + 1> descriptors;
};

// Made when the library is loaded rather than at the first use, because a fork might come in
// between.
NoDestructor<Taken> storage;
Taken& taken = *storage;

// A socket does not need a file system. Its inode distinguishes it from anything that the host may
// open under its number.
int OpenInertSocket() noexcept {
  return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void Keep(int number) noexcept { taken.descriptors[static_cast<std::size_t>(number)].Set(number); }

void TakeThoseThatAreClosed() noexcept {
  for (int number = 0; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) != -1) continue;
    const int opened = OpenInertSocket();
    if (opened > STDERR_FILENO) {
      close(opened);  // another thread was faster
    } else if (opened != -1) {
      Keep(opened);
    }
  }
}

// Replaces `number`, which is ours, by a socket without freeing it in between. Another thread has
// seen it in use, and a library there may be about to open descriptors.
void ReplaceAndKeep(int number) noexcept {
  const int opened = OpenInertSocket();
  if (opened == -1 || dup3(opened, number, O_CLOEXEC) == -1) {
    close(number);
  } else {
    Keep(number);
  }
  if (opened > STDERR_FILENO) {
    close(opened);
  } else if (opened != -1) {
    Keep(opened);
  }
}

void GiveBack() noexcept {
  for (FileDescriptor& descriptor : taken.descriptors) descriptor.Close();
}

}  // namespace

int AboveStandardDescriptors(int descriptor) noexcept {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  {
    const std::lock_guard<std::mutex> lock(taken.mutex);
    if (taken.users != 0) {
      ReplaceAndKeep(descriptor);
    } else {
      close(descriptor);
    }
  }
  errno = error;
  return copy;
}

StandardDescriptorsTaken::StandardDescriptorsTaken() noexcept {
  const std::lock_guard<std::mutex> lock(taken.mutex);
  ++taken.users;
  TakeThoseThatAreClosed();
}

StandardDescriptorsTaken::~StandardDescriptorsTaken() {
  const std::lock_guard<std::mutex> lock(taken.mutex);
  if (--taken.users == 0) GiveBack();
}

void GiveBackStandardDescriptorsAfterFork() noexcept {
  new (&taken.mutex) std::mutex;
  taken.users = 0;
  GiveBack();
}

}  // namespace tracekin
