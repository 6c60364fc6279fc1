// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of one run of a fuzzer from the first to the last. Zeros follow the end.
//
// Borrows the bytes.
#ifndef TRACEKIN_FUZZ_INPUT_H
#define TRACEKIN_FUZZ_INPUT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tracekin {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  /// Reads an integer in host byte order.
  template <class Integer>
  Integer Take() {
    Integer value{};
    const std::string_view bytes = TakeBytes(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  bool TakeBool() { return (Take<std::uint8_t>() & 1) != 0; }

  /// Reads `size` bytes, or all that are left.
  std::string_view TakeBytes(std::size_t size) {
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  /// Reads up to the next newline, which is skipped.
  std::string_view TakeLine() {
    const std::string_view line = TakeBytes(std::min(rest_.find('\n'), rest_.size()));
    TakeBytes(1);
    return line;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_INPUT_H
