// SPDX-License-Identifier: Apache-2.0
// Answers of an HTTP collector: a status, a Retry-After header and text.
#include "exporter/encoding/zipkin_answer.h"

#include <algorithm>
#include <string>

#include "base/one_line.h"
#include "base/utf8.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

namespace {

using namespace tracekin;

void CheckLine(const std::string& line) {
  CHECK(line.size() <= 256);
  std::string scratch;
  CHECK(Sanitize(line, &scratch) == line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    CHECK(byte >= 0x20 && byte != 0x7F);
    CHECK(byte != 0xC2 || static_cast<unsigned char>(line[i + 1]) >= 0xA0);
  }
  CHECK(line.find("  ") == line.npos);
  CHECK(line.empty() || (line.front() != ' ' && line.back() != ' '));
  CHECK(OneLine(line) == line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const long status = input.Take<std::int16_t>();
  const std::chrono::seconds retry_after(input.Take<std::int64_t>());
  const std::string_view text = input.rest();
  const std::string line = OneLine(text);
  CheckLine(line);

  const SendResult result = exporter::JudgeZipkinAnswer(status, text, retry_after);
  CHECK((result.status == SendStatus::kAccepted) == (status >= 200 && status < 300));
  CHECK(result.retry_after.count() >= 0 && result.retry_after <= std::chrono::hours(1));
  CHECK(result.retry_after.count() == 0 || result.status == SendStatus::kFailed);
  if (result.status == SendStatus::kAccepted) return 0;
  CHECK(result.message.rfind("HTTP " + std::to_string(status), 0) == 0);
  CHECK(result.message.size() >= line.size() &&
        result.message.compare(result.message.size() - line.size(), line.size(), line) == 0);
  return 0;
}
