#include "exporter/sockets.h"

#include <sys/socket.h>
#include <unistd.h>

namespace tracekin {

Sockets::Sockets() {
  for (auto& slot : descriptors_) slot = -1;
}

int Sockets::Open(int domain, int type, int protocol) noexcept {
  const int descriptor = socket(domain, type | SOCK_CLOEXEC, protocol);
  if (descriptor == -1) return -1;
  for (auto& slot : descriptors_) {
    int empty = -1;
    if (slot.compare_exchange_strong(empty, descriptor)) return descriptor;
  }
  close(descriptor);
  return -1;
}

void Sockets::Close(int descriptor) noexcept {
  for (auto& slot : descriptors_) {
    int ours = descriptor;
    if (slot.compare_exchange_strong(ours, -1)) break;
  }
  close(descriptor);
}

void Sockets::CloseAll() noexcept {
  for (auto& slot : descriptors_) {
    const int descriptor = slot.exchange(-1);
    if (descriptor != -1) close(descriptor);
  }
}

}  // namespace tracekin
