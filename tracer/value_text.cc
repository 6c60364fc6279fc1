// SPDX-License-Identifier: Apache-2.0
#include "tracer/value_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "base/utf8.h"
#include "exporter/pipeline/span_bytes.h"

namespace tracekin {

namespace {

// Appends JSON to `text`, and stops when that is longer than any span.
struct JsonVisitor {
  std::string* text;
  int depth;

  void operator()(bool value) const { *text += value ? "true" : "false"; }
  void operator()(std::nullptr_t) const { *text += "null"; }
  void operator()(double value) const {
    if (!std::isfinite(value)) return (*this)(nullptr);
    const std::size_t start = text->size();
    Number(value);
    if (text->find_first_of(".e", start) == std::string::npos) *text += ".0";
  }
  void operator()(std::int64_t value) const { Number(value); }
  void operator()(std::uint64_t value) const { Number(value); }
  void operator()(const std::string& value) const { Text(value); }
  void operator()(opentracing::string_view value) const { Text({value.data(), value.size()}); }
  void operator()(const char* value) const {
    if (value == nullptr) return (*this)(nullptr);
    Text(value);
  }

  void operator()(const opentracing::Values& values) const {
    Nested(
        '[', values, [this](const opentracing::Value& value) { Visit(value); }, ']');
  }

  void operator()(const opentracing::Dictionary& values) const {
    const auto visit = [this](const auto& item) {
      Text(item.first);
      *text += ':';
      Visit(item.second);
    };
    Nested('{', values, visit, '}');
  }

 private:
  template <class Items, class VisitItem>
  void Nested(char open, const Items& items, VisitItem visit, char close) const {
    if (depth == kMaxValueDepth) return (*this)(nullptr);
    *text += open;
    for (const auto& item : items) {
      if (text->size() > exporter::kMaxSpanBytes) return;  // the rest would be cut off
      visit(item);
      *text += ',';
    }
    if (text->back() == ',') text->pop_back();
    *text += close;
  }

  void Visit(const opentracing::Value& value) const {
    opentracing::Value::visit(value, JsonVisitor{text, depth + 1});
  }

  template <class Value>
  void Number(Value value) const {
    char digits[kMaxDigits];
    text->append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  void Text(std::string_view value) const {
    value = value.substr(0, exporter::kMaxSpanBytes);
    if (!TextIn(value.size() + 2, value)) TextIn(MaxJsonStringSize(value.size()), value);
  }

  // Appends a JSON string. Returns false and appends nothing if it needs more than `size` bytes.
  bool TextIn(std::size_t size, std::string_view value) const {
    const std::size_t start = text->size();
    text->resize(start + size);
    const char* end = WriteJsonString(value, text->data() + start, text->data() + text->size());
    text->resize(end == nullptr ? start : static_cast<std::size_t>(end - text->data()));
    return end != nullptr;
  }
};

// Not inlined, because lists and maps are rare and the function has many callers.
template <class Nested>
[[gnu::noinline]] std::string ToJson(const Nested& values) {
  std::string text;
  JsonVisitor{&text, 0}(values);
  return text;
}

}  // namespace

struct ValueText::Visitor {
  ValueText& text;

  void operator()(bool value) const {
    text.view_ = value ? "true" : "false";
    text.type_ = ValueType::kBool;
  }
  void operator()(std::nullptr_t) const {
    text.view_ = "null";
    text.type_ = ValueType::kJson;
  }
  void operator()(const std::string& value) const { text.view_ = value; }
  void operator()(opentracing::string_view value) const {
    text.view_ = {value.data(), value.size()};
  }
  void operator()(const char* value) const {
    if (value == nullptr) return (*this)(nullptr);
    text.view_ = value;
  }
  void operator()(double value) const { SetNumber(value, ValueType::kDouble); }
  void operator()(std::int64_t value) const { SetNumber(value, ValueType::kInt); }
  void operator()(std::uint64_t value) const {
    SetNumber(value, value >> 63 == 0 ? ValueType::kInt : ValueType::kText);
  }
  void operator()(const opentracing::Values& values) const { SetJson(values); }
  void operator()(const opentracing::Dictionary& values) const { SetJson(values); }

 private:
  template <class Number>
  void SetNumber(Number value, ValueType type) const {
    const auto end = std::to_chars(text.digits_, text.digits_ + sizeof text.digits_, value).ptr;
    text.view_ = {text.digits_, static_cast<std::size_t>(end - text.digits_)};
    text.type_ = type;
  }

  template <class Nested>
  void SetJson(const Nested& values) const {
    text.json_ = ToJson(values);
    text.view_ = text.json_;
    text.type_ = ValueType::kJson;
  }
};

ValueText::ValueText(const opentracing::Value& value) {
  opentracing::Value::visit(value, Visitor{*this});
}

}  // namespace tracekin
