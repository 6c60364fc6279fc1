// SPDX-License-Identifier: Apache-2.0
// Small pieces of header syntax that several formats share. All functions are pure.
#ifndef TRACEKIN_BASE_ASCII_H
#define TRACEKIN_BASE_ASCII_H

#include <opentracing/string_view.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace tracekin {

/// These convert to and from OpenTracing's own string_view.
inline opentracing::string_view View(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view View(opentracing::string_view text) { return {text.data(), text.size()}; }

/// Returns `text` without the optional white space (RFC 7230, section 3.2.3: spaces and tabs)
/// around it.
constexpr std::string_view TrimOws(std::string_view text) {
  constexpr std::string_view kOws = " \t";
  const std::size_t first = text.find_first_not_of(kOws);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kOws) - first + 1);
}

/// Removes the part before the first `separator`, and that separator, from `rest` and returns the
/// part. Without a separator, returns all of `rest` and leaves it empty.
constexpr std::string_view NextPart(char separator, std::string_view* rest) {
  const std::size_t end = rest->find(separator);
  const std::string_view part = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  return part;
}

/// Splits `text` at each `separator`. Returns the number of parts (counting stops at N + 1) and
/// stores up to N of them in `parts`.
template <std::size_t N>
std::size_t Split(std::string_view text, char separator, std::array<std::string_view, N>* parts) {
  std::size_t count = 0;
  for (;;) {
    const std::size_t end = text.find(separator);
    if (count < N) (*parts)[count] = text.substr(0, end);
    ++count;
    if (end == std::string_view::npos || count > N) return count;
    text.remove_prefix(end + 1);
  }
}

/// Returns whether `text` equals `lower`, ignoring the case of ASCII letters. `lower` must be in
/// lower case.
constexpr bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool letter = lower[i] >= 'a' && lower[i] <= 'z';
    if ((letter ? text[i] | 0x20 : text[i]) != lower[i]) return false;
  }
  return true;
}

/// A set of bytes, as used in grammars.
class CharSet {
 public:
  /// Returns the ASCII letters and digits, and each character of `others`.
  static constexpr CharSet Alphanumeric(std::string_view others) {
    return CharSet{}.Add('a', 'z').Add('A', 'Z').Add('0', '9').Add(others);
  }

  constexpr CharSet Add(char first, char last) const {
    CharSet result = *this;
    for (char c = first; c <= last; ++c) result.has_[static_cast<unsigned char>(c)] = true;
    return result;
  }
  constexpr CharSet Add(std::string_view characters) const {
    CharSet result = *this;
    for (const char c : characters) result.has_[static_cast<unsigned char>(c)] = true;
    return result;
  }

  constexpr bool Has(char c) const { return has_[static_cast<unsigned char>(c)]; }
  constexpr bool HasAll(std::string_view text) const {
    for (const char c : text) {
      if (!Has(c)) return false;
    }
    return true;
  }

 private:
  std::array<bool, 256> has_{};
};

/// The characters of a header name: `token` of RFC 7230, section 3.2.6.
constexpr CharSet kTokenChars = CharSet::Alphanumeric("!#$%&'*+-.^_`|~");

}  // namespace tracekin

#endif  // TRACEKIN_BASE_ASCII_H
