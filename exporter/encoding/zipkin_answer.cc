// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_answer.h"

#include <algorithm>
#include <utility>

#include "base/one_line.h"

namespace tracekin::exporter {

namespace {

using std::chrono::seconds;

constexpr seconds kLongestRetryAfter{3600};

SendStatus JudgeStatus(long status, std::string_view text) {
  if (status >= 200 && status < 300) return SendStatus::kAccepted;
  if (status == 401 || status == 408 || status == 429) return SendStatus::kFailed;
  if (status == 413) return SendStatus::kTooLarge;
  if (status >= 400 && status < 500) return SendStatus::kRejected;
  if (status == 500 && text.substr(0, 3) == "413") return SendStatus::kTooLarge;
  return SendStatus::kFailed;
}

}  // namespace

SendResult JudgeZipkinAnswer(long status, std::string_view text, std::chrono::seconds retry_after) {
  const SendStatus judgement = JudgeStatus(status, text);
  if (judgement == SendStatus::kAccepted) return {judgement, {}};
  std::string message = "HTTP " + std::to_string(status);
  if (status >= 300 && status < 400) message += " (redirects are not followed)";
  const std::string line = OneLine(text);
  if (!line.empty()) message += ": " + line;
  if (judgement != SendStatus::kFailed) return {judgement, std::move(message)};
  return {judgement, std::move(message), std::clamp(retry_after, seconds(0), kLongestRetryAfter)};
}

}  // namespace tracekin::exporter
