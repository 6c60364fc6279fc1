// SPDX-License-Identifier: Apache-2.0
// The words of the Trace Stream Description Language (Common Trace Format 1.8.3, section 7.3).
//
// Thread-safety: a pure function.
#ifndef TRACEKIN_CTF_TSDL_LEXER_H
#define TRACEKIN_CTF_TSDL_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tracekin::ctf {

struct Token {
  enum class Kind { kName, kNumber, kText, kSymbol, kEnd };
  Kind kind;
  std::string text;  // of a name, a quoted text (without quotes) or a symbol
  bool negative = false;
  std::uint64_t magnitude = 0;  // of a number
  unsigned line = 0;
};

/// The tokens of `text`; the last is kEnd. Throws NotUnderstood.
std::vector<Token> Tokenize(std::string_view text);

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_TSDL_LEXER_H
