#include "exporter/http_answer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "text/utf8.h"

namespace tracekin {

namespace {

using std::chrono::seconds;

constexpr std::size_t kMaxLine = 256;
constexpr seconds kLongestRetryAfter{3600};

bool IsSpaceOrControl(unsigned char c) { return c <= 0x20 || c == 0x7F; }

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
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F, which terminals obey as well
    const bool c1 = c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (!IsSpaceOrControl(c) && !c1) {
      line += text[i];
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
    if (c1) ++i;
  }
  line.resize(TruncateUtf8(line, kMaxLine).size());
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace tracekin
