// SPDX-License-Identifier: Apache-2.0
#include "propagation/percent.h"

#include <cstdint>

#include "base/hex.h"
#include "base/utf8.h"

namespace tracekin::propagation {

void AppendPercentEncoded(std::string_view text, const CharSet& literal, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (literal.Has(c)) {
      out->push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out->push_back('%');
      out->push_back(kDigits[byte >> 4]);
      out->push_back(kDigits[byte & 0x0F]);
    }
  }
}

std::string PercentDecode(std::string_view encoded, Plus plus) {
  std::string bytes;
  bytes.reserve(encoded.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    std::uint64_t byte = 0;
    if (encoded[i] == '%' && i + 2 < encoded.size() &&
        DecodeHex<HexCase::kAny>(encoded.substr(i + 1, 2), &byte)) {
      bytes.push_back(static_cast<char>(byte));
      i += 2;
    } else if (encoded[i] == '+' && plus == Plus::kSpace) {
      bytes.push_back(' ');
    } else {
      bytes.push_back(encoded[i]);
    }
  }
  std::string repaired;
  const std::string_view valid = Sanitize(bytes, &repaired);
  return valid.data() == bytes.data() ? bytes : repaired;
}

}  // namespace tracekin::propagation
