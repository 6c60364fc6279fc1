// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/sockets.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/standard_descriptors.h"

namespace tracekin::exporter {

bool Sockets::Slot::Take(int descriptor) noexcept {
  int free = kFree;
  if (!descriptor_.compare_exchange_strong(free, kBeingTaken)) return false;
  struct stat socket = {};
  fstat(descriptor, &socket);
  device_ = socket.st_dev;
  inode_ = socket.st_ino;
  descriptor_ = descriptor;
  return true;
}

void Sockets::Slot::Close(int descriptor) noexcept {
  const bool ours = IsOurs();
  if (descriptor_.compare_exchange_strong(descriptor, kFree) && ours) close(descriptor);
}

bool Sockets::Slot::IsOurs() const noexcept {
  struct stat socket;
  return fstat(descriptor_, &socket) == 0 && socket.st_dev == device_ && socket.st_ino == inode_;
}

int Sockets::Open(int domain, int type, int protocol) noexcept {
  const int descriptor = AboveStandardDescriptors(socket(domain, type | SOCK_CLOEXEC, protocol));
  if (descriptor == -1) return -1;
  for (Slot& slot : slots_) {
    if (slot.Take(descriptor)) return descriptor;
  }
  close(descriptor);
  return -1;
}

void Sockets::Close(int descriptor) noexcept {
  for (Slot& slot : slots_) {
    if (slot.descriptor() == descriptor) return slot.Close(descriptor);
  }
}

void Sockets::CloseAll() noexcept {
  for (Slot& slot : slots_) {
    if (slot.IsUsed()) slot.Close(slot.descriptor());
  }
}

bool Sockets::IsOurs(int descriptor) const noexcept {
  return std::any_of(slots_.begin(), slots_.end(), [descriptor](const Slot& slot) {
    return slot.descriptor() == descriptor && slot.IsOurs();
  });
}

bool Sockets::AllOurs() const noexcept {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return !slot.IsUsed() || slot.IsOurs(); });
}

void Sockets::ForgetClosed() noexcept {
  for (Slot& slot : slots_) {
    if (slot.IsUsed() && !slot.IsOurs()) slot.Close(slot.descriptor());
  }
}

int Sockets::count() const noexcept {
  return static_cast<int>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.IsUsed(); }));
}

}  // namespace tracekin::exporter
