// SPDX-License-Identifier: Apache-2.0
#include "base/terminal.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace tracekin {

namespace {

// Reads the first character of `text`. Returns its size in bytes, or 0 if `text` does not begin
// with valid UTF-8.
std::size_t FirstCharacter(std::string_view text, char32_t* character) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xc2 ? 0
                           : lead < 0xe0 ? 2
                           : lead < 0xf0 ? 3
                                         : 4;
  if (size == 0 || size > text.size()) return 0;
  *character = size == 1 ? lead : lead & (0x7fU >> size);
  for (const char c : text.substr(1, size - 1)) {
    if ((c & 0xc0) != 0x80) return 0;
    *character = *character << 6 | (c & 0x3fU);
  }
  // The smallest character for each size. Smaller ones would be overlong forms.
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = *character >= 0xd800 && *character < 0xe000;
  return *character < kLeast[size] || surrogate || *character > 0x10ffff ? 0 : size;
}

bool IsHarmless(char32_t character) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kHarmful[] = {
      {0, 0x1f},        {0x7f, 0x9f},      // C0, DEL, C1
      {0x61c, 0x61c},   {0x200b, 0x200f},  // zero width characters and direction marks
      {0x2028, 0x202e},                    // line separators, embeddings, overrides
      {0x2060, 0x2069},                    // isolates
      {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};  // invisible tags
  return std::none_of(std::begin(kHarmful), std::end(kHarmful), [character](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

}  // namespace

std::string ForTerminal(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    char32_t character = 0;
    const std::size_t size = FirstCharacter(text, &character);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(bytes.size());
    if (character == '\\') {
      shown += R"(\\)";
    } else if (size != 0 && IsHarmless(character)) {
      shown += bytes;
    } else {
      for (const char byte : bytes) {
        char escape[5];
        std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(byte));
        shown += escape;
      }
    }
  }
  return shown;
}

}  // namespace tracekin
