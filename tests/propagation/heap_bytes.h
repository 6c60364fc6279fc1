// SPDX-License-Identifier: Apache-2.0
// Test messages in heap memory of their exact size, so that AddressSanitizer detects reads beyond
// them.
#ifndef TRACEKIN_TESTS_PROPAGATION_HEAP_BYTES_H
#define TRACEKIN_TESTS_PROPAGATION_HEAP_BYTES_H

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace tracekin {

class HeapBytes {
 public:
  explicit HeapBytes(std::string_view bytes) : size_(bytes.size()), bytes_(new char[size_]) {
    if (size_ != 0) std::memcpy(bytes_.get(), bytes.data(), size_);
  }
  char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {bytes_.get(), size_}; }
  operator std::string_view() const { return view(); }

 private:
  const std::size_t size_;
  const std::unique_ptr<char[]> bytes_;
};

/// Returns the bytes of the digits in `hex`. Blanks are ignored.
inline std::string FromHex(std::string_view hex) {
  std::string digits;
  for (const char c : hex) {
    if (c != ' ') digits += c;
  }
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::strtoul(digits.substr(i, 2).c_str(), nullptr, 16));
  }
  EXPECT_EQ(digits.size() % 2, 0U);
  return bytes;
}

/// Calls `visit` with each proper prefix of `bytes`.
template <class Visit>
void EachTruncation(std::string_view bytes, Visit visit) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    visit(HeapBytes(bytes.substr(0, size)));
  }
}

/// For each bit of `bytes`, calls `visit` with a copy in which it is flipped, and the index of its
/// byte.
template <class Visit>
void EachBitFlip(std::string_view bytes, Visit visit) {
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const HeapBytes flipped(bytes);
    flipped.data()[bit / 8] = static_cast<char>(flipped.data()[bit / 8] ^ (1 << bit % 8));
    visit(flipped, bit / 8);
  }
}

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_PROPAGATION_HEAP_BYTES_H
