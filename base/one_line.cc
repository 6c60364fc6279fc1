// SPDX-License-Identifier: Apache-2.0
#include "base/one_line.h"

#include <cstddef>

#include "base/utf8.h"

namespace tracekin {

namespace {

constexpr std::size_t kMaxLine = 256;

}  // namespace

std::string OneLine(std::string_view text) {
  std::string scratch, line;
  text = Sanitize(text, &scratch);
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = TakeCodePoint(&text);
    if (c != ' ' && !IsControl(c)) {
      line += before.substr(0, before.size() - text.size());
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  line.resize(TruncateUtf8(line, kMaxLine).size());
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace tracekin
