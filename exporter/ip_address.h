// IP addresses from text to bytes.
//
// Thread-safety: a function of its arguments; allocates nothing.
#ifndef TRACEKIN_EXPORTER_IP_ADDRESS_H
#define TRACEKIN_EXPORTER_IP_ADDRESS_H

#include <string_view>

namespace tracekin {

/// Writes the address that `text` is, in network order, to `address`: 4 bytes for AF_INET, 16 for
/// AF_INET6. Returns false, and writes nothing, if inet_pton(3) does not take it.
bool ParseAddress(int family, std::string_view text, void* address) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_IP_ADDRESS_H
