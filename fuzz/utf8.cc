// SPDX-License-Identifier: Apache-2.0
// Compares the handling of JSON text and UTF-8 with Unicode's table and with rapidjson.
#include "base/utf8.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/input.h"

namespace {

using namespace tracekin;

// The Unicode Standard, table 3-7: the ranges of the first two bytes. All others are from 80 to BF.
struct Row {
  unsigned char first, last, low, high;
  std::size_t size;
};
constexpr Row kTable[] = {
    {0x01, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

// Copies each code point; U+FFFD replaces each maximal subpart of an ill-formed sequence, and NUL.
std::string Repaired(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t matched = 0;
    std::size_t wanted = 0;
    for (const Row& row : kTable) {
      if (byte(0) < row.first || byte(0) > row.last) continue;
      wanted = row.size;
      for (matched = 1; matched < std::min(wanted, text.size()); ++matched) {
        const unsigned char low = matched == 1 ? row.low : 0x80;
        const unsigned char high = matched == 1 ? row.high : 0xBF;
        if (byte(matched) < low || byte(matched) > high) break;
      }
    }
    result += matched != 0 && matched == wanted ? text.substr(0, matched) : "\xEF\xBF\xBD";
    text.remove_prefix(std::max<std::size_t>(matched, 1));
  }
  return result;
}

// Returns a copy in memory of exactly the text's size.
std::vector<char> Copied(std::string_view text) { return {text.begin(), text.end()}; }

void CheckPlain(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c != '"' && c != '\\';  // bytes above ASCII are negative
  });
  const std::vector<char> exact = Copied(text);
  CHECK(IsPlain(exact.data(), exact.size()) == plain);
  std::vector<char> padded = exact;
  padded.resize(text.size() + kPadding, '"');
  CHECK(IsPlainPadded(padded.data(), text.size()) == plain);
  std::vector<char> out(padded.size());
  CHECK(CopyIfPlain(padded.data(), text.size(), out.data()) == plain);
  CHECK(!plain || std::string_view(out.data(), text.size()) == text);
}

void CheckJson(std::string_view text, NonAscii non_ascii) {
  std::vector<char> json(MaxJsonStringSize(text.size()));
  const char* const end = WriteJsonString(text, json.data(), json.data() + json.size(), non_ascii);
  CHECK(end != nullptr);
  const auto size = static_cast<std::size_t>(end - json.data());
  rapidjson::Document read;
  read.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), size);
  CHECK(read.IsString());
  CHECK(std::string_view(read.GetString(), read.GetStringLength()) == text);
  CHECK(non_ascii == NonAscii::kKeep ||
        std::none_of(json.begin(), json.begin() + size, [](char c) { return c < ' '; }));

  std::vector<char> exact(size);
  CHECK(WriteJsonString(text, exact.data(), exact.data() + size, non_ascii) == exact.data() + size);
  CHECK(std::equal(exact.begin(), exact.end(), json.begin()));
  std::vector<char> short_of_one(size - 1);
  CHECK(!WriteJsonString(text, short_of_one.data(), short_of_one.data() + size - 1, non_ascii));
}

void CheckTruncation(std::string_view text, std::size_t max_bytes) {
  const std::string_view cut = TruncateUtf8(text, max_bytes);
  CHECK(cut.data() == text.data() && cut.size() <= max_bytes);
  CHECK(Repaired(cut) == cut);
  CHECK(cut.size() == text.size() || cut.size() + 3 >= max_bytes);
}

}  // namespace

// The input is a maximum length, then the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::size_t max_bytes = input.Take<std::uint8_t>();
  const std::vector<char> bytes = Copied(input.rest());
  const std::string_view text(bytes.data(), bytes.size());
  std::string scratch = "left over";
  const std::string_view valid = Sanitize(text, &scratch);
  CHECK(valid == Repaired(text));
  CHECK((valid.data() == text.data()) == (valid == text));
  CheckPlain(text);
  CheckJson(valid, NonAscii::kKeep);
  CheckJson(valid, NonAscii::kEscape);
  CheckTruncation(valid, max_bytes);
  CHECK(TruncateUtf8(text, max_bytes).size() <= max_bytes);
  return 0;
}
