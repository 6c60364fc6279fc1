// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648, section 4), with padding.
//
// Thread-safety: pure functions. They may throw std::bad_alloc.
#ifndef TRACEKIN_BASE_BASE64_H
#define TRACEKIN_BASE_BASE64_H

#include <cstddef>
#include <string>
#include <string_view>

namespace tracekin {

/// Returns the number of characters that encode `bytes` bytes.
constexpr std::size_t Base64Size(std::size_t bytes) { return (bytes + 2) / 3 * 4; }

void AppendBase64(std::string_view bytes, std::string* out);

}  // namespace tracekin

#endif  // TRACEKIN_BASE_BASE64_H
