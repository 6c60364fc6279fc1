#include "tracer/value_text.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tracekin {

namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

struct JsonVisitor {
  Writer& writer;
  int depth;

  void operator()(bool value) const { writer.Bool(value); }
  void operator()(double value) const {
    if (std::isfinite(value)) {
      writer.Double(value);
    } else {
      writer.Null();
    }
  }
  void operator()(std::int64_t value) const { writer.Int64(value); }
  void operator()(std::uint64_t value) const { writer.Uint64(value); }
  void operator()(const std::string& value) const { Text(value.data(), value.size()); }
  void operator()(opentracing::string_view value) const { Text(value.data(), value.size()); }
  void operator()(std::nullptr_t) const { writer.Null(); }
  void operator()(const char* value) const {
    if (value == nullptr) {
      writer.Null();
    } else {
      Text(value, std::strlen(value));
    }
  }

  void operator()(const opentracing::Values& values) const {
    if (depth == kMaxValueDepth) {
      writer.Null();
      return;
    }
    writer.StartArray();
    for (const auto& value : values) Visit(value);
    writer.EndArray();
  }

  void operator()(const opentracing::Dictionary& values) const {
    if (depth == kMaxValueDepth) {
      writer.Null();
      return;
    }
    writer.StartObject();
    for (const auto& item : values) {
      Text(item.first.data(), item.first.size());
      Visit(item.second);
    }
    writer.EndObject();
  }

 private:
  void Visit(const opentracing::Value& value) const {
    opentracing::Value::visit(value, JsonVisitor{writer, depth + 1});
  }
  void Text(const char* text, std::size_t size) const {
    writer.String(text, static_cast<rapidjson::SizeType>(size));
  }
};

// Not into each place that wants the text of any value.
template <class Nested>
[[gnu::noinline]] std::string ToJson(const Nested& values) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  JsonVisitor{writer, 0}(values);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

struct ValueText::Visitor {
  ValueText& text;

  void operator()(bool value) const { text.view_ = value ? "true" : "false"; }
  void operator()(std::nullptr_t) const { text.view_ = "null"; }
  void operator()(const std::string& value) const { text.view_ = value; }
  void operator()(opentracing::string_view value) const {
    text.view_ = {value.data(), value.size()};
  }
  void operator()(const char* value) const { text.view_ = value == nullptr ? "null" : value; }
  template <class Number>
  std::enable_if_t<std::is_arithmetic_v<Number>> operator()(Number value) const {
    const auto end = std::to_chars(text.digits_, text.digits_ + sizeof text.digits_, value).ptr;
    text.view_ = {text.digits_, static_cast<std::size_t>(end - text.digits_)};
  }
  void operator()(const opentracing::Values& values) const { SetJson(values); }
  void operator()(const opentracing::Dictionary& values) const { SetJson(values); }

 private:
  template <class Nested>
  void SetJson(const Nested& values) const {
    text.json_ = ToJson(values);
    text.view_ = text.json_;
    text.is_json_ = true;
  }
};

ValueText::ValueText(const opentracing::Value& value) {
  opentracing::Value::visit(value, Visitor{*this});
}

}  // namespace tracekin
