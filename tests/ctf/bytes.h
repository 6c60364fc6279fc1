// SPDX-License-Identifier: Apache-2.0
// Builds the bytes of hand-made traces.
#ifndef TRACEKIN_TESTS_CTF_BYTES_H
#define TRACEKIN_TESTS_CTF_BYTES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tracekin::ctf::testing {

/// Appends little-endian integers and text to a string of bytes.
class Bytes {
 public:
  template <class Integer>
  Bytes& Add(Integer value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& U8(std::uint64_t value) { return Add(static_cast<std::uint8_t>(value)); }
  Bytes& U16(std::uint64_t value) { return Add(static_cast<std::uint16_t>(value)); }
  Bytes& U32(std::uint64_t value) { return Add(static_cast<std::uint32_t>(value)); }
  Bytes& U64(std::uint64_t value) { return Add(value); }
  /// Appends text and a NUL.
  Bytes& Text(std::string_view text) {
    bytes_.append(text);
    return U8(0);
  }
  Bytes& Raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  Bytes& PadTo(std::size_t size) {
    bytes_.resize(size);
    return *this;
  }

  const std::string& str() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

}  // namespace tracekin::ctf::testing

#endif  // TRACEKIN_TESTS_CTF_BYTES_H
