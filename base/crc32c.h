// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), as iSCSI defines it (RFC 3720, section 12.1, and appendix B.4 for examples):
// the spool's check sum.
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_BASE_CRC32C_H
#define TRACEKIN_BASE_CRC32C_H

#include <cstdint>
#include <string_view>

namespace tracekin {

/// The check sum of `bytes`; with `before`, of what has that check sum followed by `bytes`.
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before = 0) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_BASE_CRC32C_H
