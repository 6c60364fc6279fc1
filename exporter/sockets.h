// The sockets that a library has opened for a transport, noted so that the child of a fork can close
// its copies of them without the library.
//
// Thread-safety: Open and Close from any thread; CloseAll in the child of a fork, before any other
// call: the list is in order at every moment.
#ifndef TRACEKIN_EXPORTER_SOCKETS_H
#define TRACEKIN_EXPORTER_SOCKETS_H

#include <array>
#include <atomic>

namespace tracekin {

class Sockets {
 public:
  Sockets();

  /// As socket(2), with SOCK_CLOEXEC. Returns -1 on failure, and when too many are open.
  int Open(int domain, int type, int protocol) noexcept;

  void Close(int descriptor) noexcept;
  void CloseAll() noexcept;

 private:
  // HTTP has one, and a few more while the addresses of a host are tried; Kafka one a broker.
  std::array<std::atomic<int>, 256> descriptors_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_SOCKETS_H
