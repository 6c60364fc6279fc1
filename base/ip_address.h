// SPDX-License-Identifier: Apache-2.0
// Converts IP addresses from text to bytes.
//
// Thread-safety: the functions use only their arguments and allocate nothing.
#ifndef TRACEKIN_BASE_IP_ADDRESS_H
#define TRACEKIN_BASE_IP_ADDRESS_H

#include <netinet/in.h>

#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin {

/// Writes the address in `text` to `address` in network byte order: 4 bytes for AF_INET, 16 for
/// AF_INET6. Returns false and writes nothing if inet_pton(3) rejects it.
bool ParseAddress(int family, std::string_view text, void* address) noexcept;

/// Sets the field named `field` ("service", "ipv4", "ipv6" or "port") to `value`, which is
/// borrowed. Returns false, and changes nothing, if there is no such field, or if the value is not
/// a valid address or port.
bool SetEndpointField(std::string_view field, std::string_view value, Endpoint* endpoint) noexcept;

/// The addresses of an endpoint as bytes, for formats that encode them in this form.
struct Addresses {
  /// Omits addresses that cannot be parsed. Stores an address of the form ::ffff:1.2.3.4 as IPv4,
  /// because Zipkin's server converts it only when it reads JSON.
  explicit Addresses(const Endpoint& endpoint) noexcept;

  in_addr ipv4 = {};  // both are in network byte order
  in6_addr ipv6;
  bool has_ipv4;
  bool has_ipv6;
};

}  // namespace tracekin

#endif  // TRACEKIN_BASE_IP_ADDRESS_H
