// SPDX-License-Identifier: Apache-2.0
// Decodes answers of a Scribe server, without their frame.
#include "exporter/transport/scribe_answer.h"

#include <string>

#include "base/utf8.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

using namespace tracekin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view answer = Input(data, size).rest().substr(0, exporter::kMaxScribeAnswer);
  const SendResult result = exporter::JudgeScribeAnswer(answer);
  CHECK(result.status != SendStatus::kTooLarge && result.retry_after.count() == 0);
  CHECK(result.message.empty() == (result.status == SendStatus::kAccepted));
  CHECK(result.message.size() < 512);
  std::string scratch;
  CHECK(Sanitize(result.message, &scratch) == result.message);
  CHECK(result.message.find('\n') == result.message.npos);
  // Every answer except an exception contains the name of the call, regardless of the form of its
  // header.
  CHECK(result.status != SendStatus::kAccepted || answer.find("Log") != answer.npos);
  return 0;
}
