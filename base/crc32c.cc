// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <endian.h>

#include <array>
#include <cstring>

namespace tracekin {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // the polynomial in reversed bit order

using Table = std::array<std::uint32_t, 256>;

// Implements "slicing by eight" (Kounavis and Berry, 2005). Table k contains the effect of a byte
// on the checksum k bytes later, so that eight bytes are looked up at the same time.
constexpr std::array<Table, 8> MakeTables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    for (std::size_t k = 1; k < tables.size(); ++k) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = MakeTables();

}  // namespace

std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    word = le64toh(word) ^ crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> 8 * k) & 0xFF];
  }
  for (const char c : bytes)
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

}  // namespace tracekin
