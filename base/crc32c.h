// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), the spool's checksum, as iSCSI defines it (RFC 3720, section 12.1, with
// examples in appendix B.4).
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_BASE_CRC32C_H
#define TRACEKIN_BASE_CRC32C_H

#include <cstdint>
#include <string_view>

namespace tracekin {

/// Returns the checksum of `bytes`. If `before` is the checksum of earlier data, returns the
/// checksum of that data followed by `bytes`.
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before = 0) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_CRC32C_H
