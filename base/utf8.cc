// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tracekin {

namespace {

template <class Word>
Word Load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

template <class Word>
Word Copy(const char* from, char* to) {
  const Word word = Load<Word>(from);
  std::memcpy(to, &word, sizeof word);
  return word;
}

// A block of sixteen bytes, which the compiler's vector extension processes together. Each test
// below returns a block whose matching bytes are all ones.
using Block = signed char __attribute__((vector_size(kPadding + 1)));
constexpr std::uint64_t kBlanks = 0x2020202020202020;

inline Block NotPlain(Block bytes) {
  return (bytes < 0x20) | (bytes == '"') | (bytes == '\\');  // bytes from 0x80 on are negative
}

// NUL also matches, because Sanitize replaces it.
inline Block NotAscii(Block bytes) { return bytes <= 0; }

// Tests only the first `size` bytes.
inline Block NotPlain(Block bytes, std::size_t size) {
  constexpr Block kIndex = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto ours = static_cast<signed char>(std::min(size, sizeof bytes));
  return NotPlain(bytes) & (kIndex < ours);
}

inline bool Any(Block bytes) {
  std::uint64_t words[2];
  std::memcpy(words, &bytes, sizeof words);
  return (words[0] | words[1]) != 0;
}

// Copies fewer than sixteen bytes to `out`. Returns them in any order as a block that is filled up
// with blanks.
inline Block CopyShort(const char* text, std::size_t size, char* out) {
  std::uint64_t words[2] = {kBlanks, kBlanks};
  if (size >= 8) {
    words[0] = Copy<std::uint64_t>(text, out);
    words[1] = Copy<std::uint64_t>(text + size - 8, out + size - 8);
  } else if (size >= 4) {
    const std::uint64_t first = Copy<std::uint32_t>(text, out);
    words[0] = first << 32 | Copy<std::uint32_t>(text + size - 4, out + size - 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      words[0] = words[0] << 8 | static_cast<unsigned char>(out[i] = text[i]);
    }
  }
  return Load<Block>(reinterpret_cast<const char*>(words));
}

// Returns whether `test` matches no byte of the text, and copies the text to `out`. Does not call
// any function, because most strings are so short that a call of memcpy would cost more than
// copying the bytes.
template <class Test>
inline bool CopyIfNone(Test test, const char* text, std::size_t size, char* out) {
  if (size < sizeof(Block)) return !Any(test(CopyShort(text, size, out)));
  Block found{};
  for (std::size_t at = 0; at + sizeof found <= size; at += sizeof found) {
    found |= test(Copy<Block>(text + at, out + at));
  }
  const std::size_t last = size - sizeof found;  // the rest, overlapping bytes that were already
                                                 // tested
  return !Any(found | test(Copy<Block>(text + last, out + last)));
}

// Same as CopyIfNone without the copy.
template <class Test>
inline bool None(Test test, const char* text, std::size_t size) {
  if (size < sizeof(Block)) {
    char unused[sizeof(Block)];
    return !Any(test(CopyShort(text, size, unused)));
  }
  Block found{};
  for (std::size_t at = 0; at + sizeof found <= size; at += sizeof found) {
    found |= test(Load<Block>(text + at));
  }
  return !Any(found | test(Load<Block>(text + size - sizeof found)));
}

constexpr auto kNotPlain = [](Block bytes) { return NotPlain(bytes); };
constexpr auto kNotAscii = [](Block bytes) { return NotAscii(bytes); };

struct Sequence {
  std::size_t size;
  bool valid;
};

// Returns the code point at the beginning of `text`, or the maximal subpart of one. NUL is invalid.
Sequence FirstSequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead != 0};

  std::size_t wanted;
  unsigned char low = 0x80, high = 0xBF;  // range of the second byte; later bytes always have this
                                          // one
  if (lead >= 0xC2 && lead <= 0xDF) {
    wanted = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    wanted = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    wanted = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  std::size_t size = 1;
  while (size < wanted && size < text.size()) {
    const auto byte = static_cast<unsigned char>(text[size]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
    ++size;
  }
  return {size, size == wanted};
}

// Returns the length of the prefix of `text` that Sanitize does not change.
std::size_t ValidPrefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= sizeof(Block) && !Any(NotAscii(Load<Block>(text.data() + at)))) {
      at += sizeof(Block);
      continue;
    }
    const Sequence next = FirstSequence(text.substr(at));
    if (!next.valid) break;
    at += next.size;
  }
  return at;
}

// Returns the letter of a two-character escape (RFC 8259, section 7), or 0.
char ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

// The slow paths of Sanitize and WriteJsonString, which few strings need.

[[gnu::noinline]] std::string_view ReplaceIllFormed(std::string_view text, std::string* scratch) {
  std::size_t valid = ValidPrefix(text);
  if (valid == text.size()) return text;
  scratch->clear();
  for (;;) {
    scratch->append(text.data(), valid);
    text.remove_prefix(valid);
    if (text.empty()) return *scratch;
    scratch->append("\xEF\xBF\xBD");  // U+FFFD
    text.remove_prefix(FirstSequence(text).size);
    valid = ValidPrefix(text);
  }
}

// Writes \uXXXX. For code points beyond U+FFFF, writes two of these escapes (a surrogate pair).
char* WriteCodePoint(char32_t code_point, char* out) noexcept {
  if (code_point > 0xFFFF) {
    out = WriteCodePoint(0xD800 + ((code_point - 0x10000) >> 10), out);
    code_point = 0xDC00 + (code_point & 0x3FF);
  }
  *out++ = '\\';
  *out++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) {
    *out++ = "0123456789abcdef"[code_point >> shift & 0x0F];
  }
  return out;
}

[[gnu::noinline]] char* WriteEscaped(std::string_view text, NonAscii non_ascii, char* out,
                                     const char* end) noexcept {
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    const char escape = ShortEscape(c);
    const bool numeric =
        escape == 0 && (byte < 0x20 || (byte >= 0x80 && non_ascii == NonAscii::kEscape));
    char32_t code_point = 0;
    if (numeric) {
      code_point = TakeCodePoint(&text);
    } else {
      text.remove_prefix(1);
    }
    const std::ptrdiff_t size = escape != 0 ? 2 : !numeric ? 1 : code_point <= 0xFFFF ? 6 : 12;
    if (end - out <= size) return nullptr;  // leaves a byte for the closing quote
    if (numeric) {
      out = WriteCodePoint(code_point, out);
    } else {
      if (escape != 0) *out++ = '\\';
      *out++ = escape != 0 ? escape : c;
    }
  }
  *out++ = '"';
  return out;
}

}  // namespace

bool IsPlain(const char* text, std::size_t size) noexcept { return None(kNotPlain, text, size); }

bool IsPlainPadded(const char* text, std::size_t size) noexcept {
  Block bad{};
  for (std::size_t at = 0; at < size; at += sizeof bad) {
    bad |= NotPlain(Load<Block>(text + at), size - at);
  }
  return !Any(bad);
}

bool CopyIfPlain(const char* text, std::size_t size, char* out) noexcept {
  Block bad{};
  for (std::size_t at = 0; at < size; at += sizeof bad) {
    const auto block = Load<Block>(text + at);
    std::memcpy(out + at, &block, sizeof block);
    bad |= NotPlain(block, size - at);
  }
  return !Any(bad);
}

bool IsAscii(std::string_view text) noexcept { return None(kNotAscii, text.data(), text.size()); }

std::string_view Sanitize(std::string_view text, std::string* scratch) {
  return IsAscii(text) ? text : ReplaceIllFormed(text, scratch);
}

std::string_view TruncateUtf8(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  // The first byte that is cut off must not continue a sequence whose beginning is kept.
  std::size_t cut = max_bytes;
  while (cut > 0 && max_bytes - cut < 3 && (text[cut] & 0xC0) == 0x80) --cut;
  return text.substr(0, cut);
}

char32_t TakeCodePoint(std::string_view* text) noexcept {
  const auto first = static_cast<unsigned char>(text->front());
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t code_point = size == 1 ? first : first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>((*text)[i]) & 0x3Fu);
  }
  text->remove_prefix(size);
  return code_point;
}

bool IsControl(char32_t code_point) noexcept {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kControls[] = {
      {0, 0x1F},        {0x7F, 0x9F},      // C0, DEL, C1
      {0x61C, 0x61C},   {0x200E, 0x200F},  // marks of direction
      {0x2028, 0x202E},                    // ends of lines, embeddings, overrides
      {0x2066, 0x206F},                    // isolates, and controls that Unicode deprecates
  };
  for (const Range& range : kControls) {
    if (range.first <= code_point && code_point <= range.last) return true;
  }
  return false;
}

std::string_view SanitizePrefix(std::string_view text, std::size_t max_bytes,
                                std::string* scratch) {
  return Sanitize(TruncateUtf8(text, max_bytes), scratch);
}

char* WriteJsonString(std::string_view text, char* out, const char* end,
                      NonAscii non_ascii) noexcept {
  if (static_cast<std::size_t>(end - out) < text.size() + 2) return nullptr;
  *out++ = '"';
  if (CopyIfNone(kNotPlain, text.data(), text.size(), out)) {
    out[text.size()] = '"';
    return out + text.size() + 1;
  }
  return WriteEscaped(text, non_ascii, out, end);
}

}  // namespace tracekin
