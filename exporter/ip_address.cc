#include "exporter/ip_address.h"

#include <arpa/inet.h>

namespace tracekin {

bool ParseAddress(int family, std::string_view text, void* address) noexcept {
  char terminated[INET6_ADDRSTRLEN];
  if (text.empty() || text.size() >= sizeof terminated) return false;
  if (text.find('\0') != std::string_view::npos) return false;
  terminated[text.copy(terminated, text.size())] = '\0';
  return inet_pton(family, terminated, address) == 1;
}

}  // namespace tracekin
