// SPDX-License-Identifier: Apache-2.0
// The text of an OpenTracing value, as tags and logs carry it.
//
// Numbers are written as std::to_chars does it, the shortest form that reads back; null is "null".
// Lists and maps become JSON: scalars inside keep their JSON type, numbers that JSON has no form
// for (NaN, infinities) become null, and so do lists and maps that lie deeper than kMaxValueDepth,
// so that a value cannot exhaust the stack. JSON ends once it is longer than any span: a value of
// any size takes a bounded time and bounded memory.
#ifndef TRACEKIN_TRACER_VALUE_TEXT_H
#define TRACEKIN_TRACER_VALUE_TEXT_H

#include <opentracing/value.h>

#include <optional>
#include <string>
#include <string_view>

namespace tracekin {

constexpr int kMaxValueDepth = 16;
constexpr std::size_t kMaxDigits = 24;  // of the longest double

/// The text of a value that is text already, borrowed; nullopt for any other.
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

/// Borrows the text of a string value; REQUIRES: the value outlives this object. Text that is not
/// UTF-8 is passed on as it is. Making one throws std::bad_alloc, for lists and maps only.
class ValueText {
 public:
  explicit ValueText(const opentracing::Value& value);
  ValueText(const ValueText&) = delete;
  ValueText& operator=(const ValueText&) = delete;

  std::string_view view() const { return view_; }

  /// Whether the value is a list or a map.
  bool is_json() const { return is_json_; }

 private:
  struct Visitor;

  std::string_view view_;
  bool is_json_ = false;
  char digits_[kMaxDigits];
  std::string json_;
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_VALUE_TEXT_H
