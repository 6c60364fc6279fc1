// SPDX-License-Identifier: Apache-2.0
#include "exporter/transport/http_answer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/utf8.h"

namespace tracekin {

namespace {

using std::chrono::seconds;

constexpr std::size_t kMaxLine = 256;
constexpr seconds kLongestRetryAfter{3600};

// Takes the first code point off `text`, which is valid UTF-8 and not empty.
char32_t TakeCodePoint(std::string_view* text) {
  const auto first = static_cast<unsigned char>(text->front());
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t code_point = size == 1 ? first : first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>((*text)[i]) & 0x3Fu);
  }
  text->remove_prefix(size);
  return code_point;
}

// Whether a terminal or a viewer may do something else than show it: controls, separators of lines,
// and what changes the direction of the text after it.
bool IsSpaceOrControl(char32_t c) {
  if (c <= 0x20 || (c >= 0x7F && c <= 0x9F)) return true;
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x206F);
}

SendStatus JudgeStatus(long status, std::string_view text) {
  if (status >= 200 && status < 300) return SendStatus::kAccepted;
  if (status == 401 || status == 408 || status == 429) return SendStatus::kFailed;
  if (status == 413) return SendStatus::kTooLarge;
  if (status >= 400 && status < 500) return SendStatus::kRejected;
  if (status == 500 && text.substr(0, 3) == "413") return SendStatus::kTooLarge;
  return SendStatus::kFailed;
}

}  // namespace

SendResult JudgeAnswer(long status, std::string_view text, std::chrono::seconds retry_after) {
  const SendStatus judgement = JudgeStatus(status, text);
  if (judgement == SendStatus::kAccepted) return {judgement, {}};
  std::string message = "HTTP " + std::to_string(status);
  if (status >= 300 && status < 400) message += " (redirects are not followed)";
  const std::string line = OneLine(text);
  if (!line.empty()) message += ": " + line;
  if (judgement != SendStatus::kFailed) return {judgement, std::move(message)};
  return {judgement, std::move(message), std::clamp(retry_after, seconds(0), kLongestRetryAfter)};
}

std::string OneLine(std::string_view text) {
  std::string scratch, line;
  text = Sanitize(text, &scratch);
  while (!text.empty()) {
    const std::string_view before = text;
    if (!IsSpaceOrControl(TakeCodePoint(&text))) {
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
