#include "text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tracekin {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

template <class Word>
Word Load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Fewer than eight bytes as a word in which every byte is one of them or a space; in no order.
std::uint64_t LoadShort(const char* text, std::size_t size) {
  if (size >= 4) {
    const std::uint64_t first = Load<std::uint32_t>(text);
    return first << 32 | Load<std::uint32_t>(text + size - 4);
  }
  std::uint64_t word = kOnes * ' ';
  for (std::size_t i = 0; i < size; ++i) word = word << 8 | static_cast<unsigned char>(text[i]);
  return word;
}

// The classic tests on the eight bytes of a word. A borrow may flag a byte above one that is
// flagged rightly, so that only "none" and "some" can be told apart.
bool HasByteBelow(std::uint64_t word, unsigned char bound) {
  return ((word - kOnes * bound) & ~word & kHighBits) != 0;
}
bool HasByte(std::uint64_t word, unsigned char byte) {
  return HasByteBelow(word ^ kOnes * byte, 1);
}

bool IsPlainWord(std::uint64_t word) {
  return (word & kHighBits) == 0 && !HasByteBelow(word, 0x20) && !HasByte(word, '"') &&
         !HasByte(word, '\\');
}

// Sixteen bytes at once, by the compiler's vectors.
using Block = signed char __attribute__((vector_size(kPadding + 1)));

// All ones for each of the first `size` bytes that is not plain.
inline Block NotPlain(Block bytes, std::size_t size) {
  constexpr Block kIndex = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto ours = static_cast<signed char>(std::min(size, sizeof bytes));
  const Block plain = (bytes >= 0x20) & (bytes != '"') & (bytes != '\\');  // 0x80 and more are < 0
  return ~plain & (kIndex < ours);
}

inline bool Any(Block bytes) {
  std::uint64_t words[2];
  std::memcpy(words, &bytes, sizeof words);
  return (words[0] | words[1]) != 0;
}

struct Sequence {
  std::size_t size;
  bool valid;
};

// The code point that `text` begins with, or the maximal subpart of one. NUL counts as invalid.
Sequence FirstSequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead != 0};

  std::size_t wanted;
  unsigned char low = 0x80, high = 0xBF;  // the range of the second byte; of later ones always this
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

// The length of the prefix of `text` that Sanitize leaves alone.
std::size_t ValidPrefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= sizeof(std::uint64_t)) {
      const std::uint64_t word = Load<std::uint64_t>(text.data() + at);
      if ((word & kHighBits) == 0 && !HasByte(word, 0)) {
        at += sizeof word;
        continue;
      }
    }
    const Sequence next = FirstSequence(text.substr(at));
    if (!next.valid) break;
    at += next.size;
  }
  return at;
}

// The letter of a two-character escape (RFC 8259, section 7), or 0.
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

}  // namespace

bool IsPlain(const char* text, std::size_t size) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (size < kWord) return IsPlainWord(LoadShort(text, size));
  for (std::size_t i = 0; i + kWord <= size; i += kWord) {
    if (!IsPlainWord(Load<std::uint64_t>(text + i))) return false;
  }
  return IsPlainWord(
      Load<std::uint64_t>(text + size - kWord));  // the rest, and some bytes once more
}

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

std::string_view Sanitize(std::string_view text, std::string* scratch) {
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

std::string_view TruncateUtf8(std::string_view text, std::size_t max_bytes) noexcept {
  if (text.size() <= max_bytes) return text;
  // The first byte that is left out must not be the continuation of one that is kept.
  std::size_t cut = max_bytes;
  while (cut > 0 && max_bytes - cut < 3 && (text[cut] & 0xC0) == 0x80) --cut;
  return text.substr(0, cut);
}

char* WriteJsonString(std::string_view text, char* out, const char* end) noexcept {
  if (static_cast<std::size_t>(end - out) < text.size() + 2) return nullptr;
  *out++ = '"';
  if (IsPlain(text.data(), text.size())) {
    out += text.copy(out, text.size());
    *out++ = '"';
    return out;
  }
  for (const char c : text) {
    const char escape = ShortEscape(c);
    const bool control = escape == 0 && static_cast<unsigned char>(c) < 0x20;
    const std::ptrdiff_t size = escape != 0 ? 2 : control ? 6 : 1;
    if (end - out <= size) return nullptr;  // the closing quote wants a place too
    if (escape != 0) {
      out[0] = '\\';
      out[1] = escape;
    } else if (control) {
      std::string_view(c < 0x10 ? "\\u000" : "\\u001").copy(out, 5);
      out[5] = "0123456789abcdef"[c & 0x0F];
    } else {
      out[0] = c;
    }
    out += size;
  }
  *out++ = '"';
  return out;
}

}  // namespace tracekin
