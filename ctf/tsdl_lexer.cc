// SPDX-License-Identifier: Apache-2.0
#include "ctf/tsdl_lexer.h"

#include <charconv>

#include "ctf/error.h"

namespace tracekin::ctf {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool BeginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

Token Lexer::Next() {
  SkipSpace();
  Token token = TakeToken();
  token.line = line_;
  return token;
}

void Lexer::Fail(const std::string& what) const {
  throw NotUnderstood("line " + std::to_string(line_) + " of the metadata: " + what);
}

std::string_view Lexer::Take(std::size_t size) {
  const std::string_view taken = rest_.substr(0, size);
  for (const char c : taken) line_ += c == '\n';
  rest_.remove_prefix(taken.size());
  return taken;
}

void Lexer::SkipTo(std::string_view end) {
  const std::size_t at = rest_.find(end);
  if (at == rest_.npos) Fail("a comment has no end");
  Take(at + end.size());
}

void Lexer::SkipSpace() {
  for (;;) {
    if (!rest_.empty() && IsSpace(rest_[0])) {
      Take(1);
    } else if (Begins("/*")) {
      Take(2);
      SkipTo("*/");
    } else if (Begins("//")) {
      SkipTo("\n");
    } else {
      return;
    }
  }
}

Token Lexer::TakeToken() {
  if (rest_.empty()) return {Token::Kind::kEnd, "the end"};
  const char first = rest_[0];
  if (BeginsName(first)) return TakeName();
  if (IsDigit(first) || (first == '-' && rest_.size() > 1 && IsDigit(rest_[1])))
    return TakeNumber();
  if (first == '"') return TakeText();
  for (const std::string_view symbol : {"...", ":="}) {
    if (Begins(symbol)) return {Token::Kind::kSymbol, std::string(Take(symbol.size()))};
  }
  return {Token::Kind::kSymbol, std::string(Take(1))};
}

Token Lexer::TakeName() {
  std::size_t size = 1;
  while (size < rest_.size() && (BeginsName(rest_[size]) || IsDigit(rest_[size]))) ++size;
  return {Token::Kind::kName, std::string(Take(size))};
}

// Reads a number. As in C, it is octal after 0, hexadecimal after 0x, and otherwise decimal.
// Suffixes such as ULL are ignored.
Token Lexer::TakeNumber() {
  Token token{Token::Kind::kNumber, {}};
  token.negative = rest_[0] == '-';
  if (token.negative) Take(1);
  int base = 10;
  if (Begins("0x") || Begins("0X")) {
    Take(2);
    base = 16;
  } else if (rest_[0] == '0') {
    base = 8;
  }
  const auto [end, error] =
      std::from_chars(rest_.data(), rest_.data() + rest_.size(), token.magnitude, base);
  if (error != std::errc() || (token.negative && token.magnitude > INT64_MAX)) {
    Fail("a number that is not understood");
  }
  Take(static_cast<std::size_t>(end - rest_.data()));
  while (!rest_.empty() &&
         (rest_[0] == 'u' || rest_[0] == 'U' || rest_[0] == 'l' || rest_[0] == 'L')) {
    Take(1);
  }
  if (!rest_.empty() && (BeginsName(rest_[0]) || IsDigit(rest_[0]))) {
    Fail("a number that is not understood");
  }
  return token;
}

Token Lexer::TakeText() {
  std::string text;
  Take(1);
  for (;;) {
    if (rest_.empty() || rest_[0] == '\n') Fail("a quoted text has no end");
    const char c = Take(1)[0];
    if (c == '"') return {Token::Kind::kText, text};
    text += c == '\\' ? TakeEscaped() : c;
  }
}

char Lexer::TakeEscaped() {
  constexpr std::string_view kLetters = R"(nt"\)";
  constexpr std::string_view kMeanings = "\n\t\"\\";
  const std::size_t which = rest_.empty() ? kLetters.npos : kLetters.find(rest_[0]);
  if (which == kLetters.npos) Fail("an escape that is not understood");
  Take(1);
  return kMeanings[which];
}

}  // namespace tracekin::ctf
