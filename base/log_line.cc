// SPDX-License-Identifier: Apache-2.0
#include "base/log_line.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace tracekin {

namespace {

constexpr std::size_t kMaxLine = 32768;

void AppendValue(const SpanRecord::Tag& field, std::string* line) {
  const std::string_view text = field.value;
  const bool plain = text.find_first_of(" \"=") == std::string_view::npos;
  if (plain || field.type == ValueType::kJson) {
    line->append(text);
    return;
  }
  const std::size_t before = line->size();
  line->resize(before + MaxJsonStringSize(text.size()));
  const char* const end = WriteJsonString(text, line->data() + before, line->data() + line->size());
  line->resize(static_cast<std::size_t>(end - line->data()));
}

}  // namespace

void AppendLogLine(const SpanRecord::Annotation& annotation, std::string* line) {
  const SpanRecord::Fields& fields = annotation.fields;
  const SpanRecord::Tag* headline = fields.end();
  if (annotation.text.empty()) {
    const auto is_message = [](const SpanRecord::Tag& field) { return field.key == "message"; };
    headline = std::find_if(fields.begin(), fields.end(), is_message);
  }
  const std::size_t start = line->size();
  line->append(headline != fields.end() ? headline->value : annotation.text);
  for (const SpanRecord::Tag& field : fields) {
    if (&field == headline || line->size() > kMaxLine) continue;
    if (line->size() != start) line->push_back(' ');
    line->append(field.key).push_back('=');
    AppendValue(field, line);
  }
  line->resize(TruncateUtf8(*line, kMaxLine).size());
}

}  // namespace tracekin
