// SPDX-License-Identifier: Apache-2.0
// The sockets that a library has opened for a transport, noted with what they are: daemons close all
// descriptors that they do not know, and the number may then be a descriptor of theirs.
//
// The child of a fork can close its copies of them without the library.
//
// Thread-safety: Open and Close from any thread; the others from the thread that uses the transport.
// CloseAll also in the child of a fork, before any other call: the list is in order at every moment.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_SOCKETS_H
#define TRACEKIN_EXPORTER_TRANSPORT_SOCKETS_H

#include <sys/types.h>

#include <array>
#include <atomic>

namespace tracekin {

class Sockets {
 public:
  Sockets() = default;
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// As socket(2), with SOCK_CLOEXEC, and never 0, 1 or 2. Returns -1 on failure, and when too many are open.
  int Open(int domain, int type, int protocol) noexcept;

  /// Closes a descriptor that Open() has returned, and CloseAll() all of them. One that the host has
  /// closed, and perhaps opened anew for something else, is only forgotten.
  void Close(int descriptor) noexcept;
  void CloseAll() noexcept;

  /// Whether that descriptor, or each, still is the socket that Open() has returned.
  bool IsOurs(int descriptor) const noexcept;
  bool AllOurs() const noexcept;

  /// Forgets those that are not: after a call of the library, which closes some without Close().
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
    dev_t device_ = 0;  // these two belong to who has taken the slot
    ino_t inode_ = 0;
  };

  // HTTP has one, and a few more while the addresses of a host are tried; Kafka one a broker.
  std::array<Slot, 256> slots_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_SOCKETS_H
