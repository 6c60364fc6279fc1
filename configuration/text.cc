// SPDX-License-Identifier: Apache-2.0
#include "configuration/text.h"

#include <charconv>
#include <cstdio>

#include "base/utf8.h"
#include "configuration/url.h"

namespace tracekin::configuration {

namespace {

// `json` is a JSON string, in which only ASCII control characters have been escaped.
std::string WithoutControls(std::string_view json) {
  std::string shown;
  while (!json.empty()) {
    const std::string_view before = json;
    const char32_t c = TakeCodePoint(&json);
    if (IsControl(c)) {
      char escape[sizeof "\\u0000"];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      shown += escape;
    } else {
      shown += before.substr(0, before.size() - json.size());
    }
  }
  return shown;
}

}  // namespace

bool IsText(std::string_view text) {
  std::string scratch;
  return Sanitize(text, &scratch) == text;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShownBytes = 100;
  const std::string masked = MaskPassword(text);
  std::string scratch;
  const std::string_view whole = Sanitize(masked, &scratch);
  const std::string_view shown = TruncateUtf8(whole, kShownBytes);
  char quoted[MaxJsonStringSize(kShownBytes)];
  char* const end = WriteJsonString(shown, quoted, quoted + sizeof quoted);
  const std::string_view json(quoted, static_cast<std::size_t>(end - quoted));
  return WithoutControls(json) + (shown.size() < whole.size() ? "..." : "");
}

std::string Decimal(std::uint64_t number) { return std::to_string(number); }

std::string Decimal(double number) {
  char text[400];  // enough for 309 digits before the point or 324 after it
  const auto result = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed);
  return {text, result.ptr};
}

}  // namespace tracekin::configuration
