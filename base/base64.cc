// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <cstdint>
#include <cstring>

namespace tracekin {

namespace {

// Maps twelve bits to two digits, which takes a quarter of the time of single digits.
struct Base64Digits {
  constexpr Base64Digits() {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int bits = 0; bits < 4096; ++bits) {
      pairs[bits][0] = kDigits[bits >> 6];
      pairs[bits][1] = kDigits[bits & 63];
    }
  }
  char pairs[4096][2] = {};
};
constexpr Base64Digits kBase64;

}  // namespace

void AppendBase64(std::string_view bytes, std::string* out) {
  const std::size_t before = out->size();
  out->resize(before + Base64Size(bytes.size()));
  char* to = &(*out)[before];
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto put = [&to](std::uint32_t bits) {
    std::memcpy(to, kBase64.pairs[bits >> 12], 2);
    std::memcpy(to + 2, kBase64.pairs[bits & 4095], 2);
    to += 4;
  };
  std::size_t left = bytes.size();
  for (; left >= 3; from += 3, left -= 3) put(from[0] << 16 | from[1] << 8 | from[2]);
  if (left == 0) return;
  put(from[0] << 16 | (left == 2 ? from[1] << 8 : 0));
  to[-1] = '=';
  if (left == 1) to[-2] = '=';
}

}  // namespace tracekin
