// SPDX-License-Identifier: Apache-2.0
#include "base/ip_address.h"

#include <arpa/inet.h>

#include <cstring>

namespace tracekin {

[[gnu::noinline]] bool ParseAddress(int family, std::string_view text, void* address) noexcept {
  char terminated[INET6_ADDRSTRLEN];
  if (text.empty() || text.size() >= sizeof terminated) return false;
  if (text.find('\0') != std::string_view::npos) return false;
  terminated[text.copy(terminated, text.size())] = '\0';
  return inet_pton(family, terminated, address) == 1;
}

// Checks for empty addresses first, because most endpoints do not have one and the calls are slow.
Addresses::Addresses(const Endpoint& endpoint) noexcept
    : has_ipv4(!endpoint.ipv4.empty() && ParseAddress(AF_INET, endpoint.ipv4, &ipv4)),
      has_ipv6(!endpoint.ipv6.empty() && ParseAddress(AF_INET6, endpoint.ipv6, &ipv6)) {
  if (!has_ipv6 || !IN6_IS_ADDR_V4MAPPED(&ipv6)) return;
  std::memcpy(&ipv4, &ipv6.s6_addr[12], sizeof ipv4);
  has_ipv4 = true;
  has_ipv6 = false;
}

}  // namespace tracekin
