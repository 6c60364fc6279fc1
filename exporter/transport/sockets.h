// SPDX-License-Identifier: Apache-2.0
// Keeps track of the sockets that a library has opened for a transport, by number and identity.
// Daemons close all descriptors that they do not know, and may then reuse a number for a descriptor
// of their own.
//
// The child of a fork can close its copies of the sockets without the library.
//
// Thread-safety: Open and Close may be called from any thread, the others from the thread that uses
// the transport. CloseAll may also be the first call in the child of a fork, because the list is
// consistent at every moment.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_SOCKETS_H
#define TRACEKIN_EXPORTER_TRANSPORT_SOCKETS_H

#include <sys/types.h>

#include <array>
#include <atomic>

namespace tracekin::exporter {

class Sockets {
 public:
  Sockets() = default;
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// Same as socket(2) with SOCK_CLOEXEC, but never returns 0, 1 or 2. Returns -1 on failure, also
  /// if too many sockets are open.
  int Open(int domain, int type, int protocol) noexcept;

  /// Close() closes a descriptor that Open() has returned, and CloseAll() closes all of them. A
  /// descriptor that the host has closed, and perhaps reused, is only forgotten.
  void Close(int descriptor) noexcept;
  void CloseAll() noexcept;

  /// Returns whether `descriptor`, or each descriptor, is still the socket that Open() has
  /// returned.
  bool IsOurs(int descriptor) const noexcept;
  bool AllOurs() const noexcept;

  /// Forgets the descriptors that are no longer ours. Called after each use of the library, because
  /// it closes some sockets without Close().
  void ForgetClosed() noexcept;

  int count() const noexcept;

 private:
  class Slot {
   public:
    bool Take(int descriptor) noexcept;
    void Close(int descriptor) noexcept;
    bool IsOurs() const noexcept;
    bool IsUsed() const noexcept { return descriptor_ >= 0; }
    int descriptor() const noexcept { return descriptor_; }

   private:
    static constexpr int kFree = -1;
    static constexpr int kBeingTaken = -2;

    std::atomic<int> descriptor_{kFree};
    dev_t device_ = 0;  // only the thread that took the slot uses these two
    ino_t inode_ = 0;
  };

  // HTTP uses one socket, and a few more while it tries the addresses of a host. Kafka uses one per
  // broker.
  std::array<Slot, 256> slots_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_TRANSPORT_SOCKETS_H
