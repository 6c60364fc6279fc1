// SPDX-License-Identifier: Apache-2.0
// Splits text in the Trace Stream Description Language into tokens (Common Trace Format 1.8.3,
// section 7.3).
//
// Thread-safety: one thread at a time.
#ifndef TRACEKIN_CTF_TSDL_LEXER_H
#define TRACEKIN_CTF_TSDL_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tracekin::ctf {

struct Token {
  enum class Kind { kName, kNumber, kText, kSymbol, kEnd };
  Kind kind;
  std::string text;  // the name, the string (without quotes) or the symbol
  bool negative = false;
  std::uint64_t magnitude = 0;  // the absolute value of a number
  unsigned line = 0;
};

/// Splits text into tokens. Borrows the text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  /// Returns the next token. At the end, always returns kEnd. Throws NotUnderstood.
  Token Next();

 private:
  [[noreturn]] void Fail(const std::string& what) const;
  std::string_view Take(std::size_t size);
  bool Begins(std::string_view with) const { return rest_.substr(0, with.size()) == with; }
  void SkipTo(std::string_view end);
  void SkipSpace();
  Token TakeToken();
  Token TakeName();
  Token TakeNumber();
  Token TakeText();
  char TakeEscaped();

  std::string_view rest_;
  unsigned line_ = 1;
};

}  // namespace tracekin::ctf

#endif  // TRACEKIN_CTF_TSDL_LEXER_H
