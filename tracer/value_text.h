// SPDX-License-Identifier: Apache-2.0
// Converts an OpenTracing value to the text that tags and logs contain.
//
// Numbers have the format of std::to_chars, the shortest form that reads back as the same value.
// Null becomes "null". Lists and maps become JSON. Scalars in them keep their JSON type. Numbers
// that JSON cannot represent (NaN, infinities) become null, and so do lists and maps nested deeper
// than kMaxValueDepth, so that a value cannot exhaust the stack. JSON ends when it is longer than
// any span, so that a value of any size needs a limited amount of time and memory.
#ifndef TRACEKIN_TRACER_VALUE_TEXT_H
#define TRACEKIN_TRACER_VALUE_TEXT_H

#include <opentracing/value.h>

#include <optional>
#include <string>
#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin {

constexpr int kMaxValueDepth = 16;
constexpr std::size_t kMaxDigits = 24;  // length of the longest double

/// Returns the text of a value that is a string, borrowed, or nullopt for any other value.
inline std::optional<std::string_view> TextOf(const opentracing::Value& value) {
  using opentracing::string_view;
  if (value.is<std::string>()) return value.get<std::string>();
  if (value.is<string_view>()) {
    return std::string_view{value.get<string_view>().data(), value.get<string_view>().size()};
  }
  if (value.is<const char*>() && value.get<const char*>() != nullptr) {
    return value.get<const char*>();
  }
  return std::nullopt;
}

/// Borrows the text of a string value, so the value must outlive this object. Text that is not
/// UTF-8 is passed on unchanged. The constructor throws std::bad_alloc, but only for lists and
/// maps.
class ValueText {
 public:
  explicit ValueText(const opentracing::Value& value);
  ValueText(const ValueText&) = delete;
  ValueText& operator=(const ValueText&) = delete;

  std::string_view view() const { return view_; }

  ValueType type() const { return type_; }

 private:
  struct Visitor;

  std::string_view view_;
  ValueType type_ = ValueType::kText;
  char digits_[kMaxDigits];
  std::string json_;
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_VALUE_TEXT_H
