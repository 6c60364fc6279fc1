// SPDX-License-Identifier: Apache-2.0
// IP addresses from text to bytes.
//
// Thread-safety: functions of their arguments; they allocate nothing.
#ifndef TRACEKIN_BASE_IP_ADDRESS_H
#define TRACEKIN_BASE_IP_ADDRESS_H

#include <netinet/in.h>

#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin {

/// Writes the address that `text` is, in network order, to `address`: 4 bytes for AF_INET, 16 for
/// AF_INET6. Returns false, and writes nothing, if inet_pton(3) does not take it.
bool ParseAddress(int family, std::string_view text, void* address) noexcept;

/// The addresses of an endpoint, for formats that have them as bytes.
struct Addresses {
  /// What is none is left out. An IPv4 address in the form ::ffff:1.2.3.4 is one: Zipkin's server
  /// sees to that when it reads JSON, but not in other formats.
  explicit Addresses(const Endpoint& endpoint) noexcept;

  in_addr ipv4 = {};  // in network order, as is the other
  in6_addr ipv6;
  bool has_ipv4;
  bool has_ipv6;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_IP_ADDRESS_H
