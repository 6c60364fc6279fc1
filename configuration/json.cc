// SPDX-License-Identifier: Apache-2.0
#include "configuration/json.h"

#include <rapidjson/document.h>
#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "base/json_memory.h"
#include "base/number.h"
#include "configuration/check.h"
#include "configuration/nearest_key.h"
#include "configuration/table.h"
#include "configuration/text.h"

namespace tracekin::configuration {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

// Iterative, so that deep nesting cannot exhaust the stack.
constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseValidateEncodingFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

// rapidjson's types, with an allocator that throws when memory is exhausted.
using Utf8 = rapidjson::UTF8<>;
using Pool = rapidjson::MemoryPoolAllocator<JsonMemory>;
using Json = rapidjson::GenericValue<Utf8, Pool>;
using Reader = rapidjson::GenericReader<Utf8, Utf8, JsonMemory>;
using Buffer = rapidjson::GenericStringBuffer<Utf8, JsonMemory>;
using Writer = rapidjson::Writer<Buffer, Utf8, Utf8, JsonMemory>;

/// A document that converts numbers itself, because rapidjson 1.1 reads 0e40 as -2e223.
class Document : public rapidjson::GenericDocument<Utf8, Pool, JsonMemory> {
 public:
  rapidjson::ParseResult ParseText(std::string_view text) {
    rapidjson::MemoryStream bytes(text.data(), text.size());
    rapidjson::EncodedInputStream<Utf8, rapidjson::MemoryStream> stream(bytes);
    Reader reader;
    auto parse = [&](GenericDocument&) {
      return !reader.Parse<kParseFlags>(stream, *this).IsError();
    };
    Populate(parse);
    return {reader.GetParseErrorCode(), reader.GetErrorOffset()};
  }

  /// Called by the reader, which has checked the syntax.
  bool RawNumber(const char* digits, rapidjson::SizeType size, bool) {
    const char* const end = digits + size;
    if (std::int64_t whole; IsWhole(std::from_chars(digits, end, whole), end)) return Int64(whole);
    if (std::uint64_t whole; IsWhole(std::from_chars(digits, end, whole), end))
      return Uint64(whole);
    constexpr double kMost = std::numeric_limits<double>::max();  // JSON cannot represent infinity
    const double real = std::clamp(ParseDouble({digits, size}).value_or(0), -kMost, kMost);
    return Double(real);
  }

 private:
  static bool IsWhole(std::from_chars_result result, const char* end) {
    return result.ec == std::errc() && result.ptr == end;
  }
};

std::string_view View(const Json& text) { return {text.GetString(), text.GetStringLength()}; }

/// Returns `value` for a message. Arrays and objects are not written out, because they may be deep.
std::string Shown(const Json& value) {
  if (value.IsString()) return Quoted(View(value));
  if (value.IsArray()) return "an array";
  if (value.IsObject()) return "an object";
  Buffer buffer;
  Writer writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

// Each function stores a JSON value of the right type in `options` and returns "", or returns the
// value for a message if its type is wrong. CheckSetting checks whether the value is allowed.

std::string Store(const Boolean& setting, const Json& json, Options* options) {
  if (!json.IsBool()) return Shown(json);
  setting.In(*options) = json.GetBool();
  return {};
}

std::string Store(const Integer& setting, const Json& json, Options* options) {
  if (!json.IsUint64()) return Shown(json);
  setting.In(*options) = json.GetUint64();
  return {};
}

std::string Store(const Number& setting, const Json& json, Options* options) {
  if (!json.IsNumber()) return Shown(json);
  setting.In(*options) = json.GetDouble();
  return {};
}

std::string Store(const Text& setting, const Json& json, Options* options) {
  if (!json.IsString()) return Shown(json);
  if (json.GetStringLength() == 0 && !setting.allowed.empty()) return Shown(json);
  setting.In(*options) = View(json);
  return {};
}

std::string Store(const Url& setting, const Json& json, Options* options) {
  if (!json.IsString()) return Shown(json);
  setting.In(*options) = View(json);
  return {};
}

std::string Store(const TextList& setting, const Json& json, Options* options) {
  if (!json.IsArray()) return Shown(json);
  StringList list;
  for (const Json& item : json.GetArray()) {
    if (!item.IsString()) return Shown(item) + " in the list";
    list.emplace_back(View(item));
  }
  setting.In(*options) = std::move(list);
  return {};
}

std::string Store(const TextMap& setting, const Json& json, Options* options) {
  if (!json.IsObject()) return Shown(json);
  StringMap map;
  for (const auto& member : json.GetObject()) {
    if (!member.value.IsString()) {
      return Shown(member.value) + " for the key " + Quoted(View(member.name));
    }
    if (!map.emplace(View(member.name), View(member.value)).second) {
      return "the key " + Quoted(View(member.name)) + " twice";
    }
  }
  setting.In(*options) = std::move(map);
  return {};
}

// Does not show the value, because it may be a credential.
std::string Store(const HeaderMap& setting, const Json& json, Options* options) {
  if (!json.IsObject()) return "a value of another type";
  for (const auto& member : json.GetObject()) {
    if (!member.value.IsString())
      return "a value that is not a string for the key " + Quoted(View(member.name));
  }
  return Store(TextMap{setting.of}, json, options);
}

bool Set(const Setting& setting, const Json& json, Options* options, std::string* error) {
  const std::string found =
      std::visit([&](const auto& value) { return Store(value, json, options); }, setting.value);
  if (found.empty()) return CheckSetting(setting, *options, setting.path, error);
  *error = Unexpected(setting.path, setting, found);
  return false;
}

std::string UnknownKey(const std::string& path) {
  const std::string nearest = NearestKey(path);
  std::string message = "unknown key " + Quoted(path);
  if (nearest == path) {  // the key contains a dot
    const std::size_t dot = path.find('.');
    return message + "; write it as {\"" + path.substr(0, dot) + "\": {\"" + path.substr(dot + 1) +
           "\": ...}}";
  }
  if (!nearest.empty()) return message + "; did you mean \"" + nearest + "\"?";
  message += "; known keys are";
  const char* separator = " ";
  for (const Setting& setting : Settings()) {
    message.append(separator).append(setting.path);
    separator = ", ";
  }
  return message;
}

/// Reads an object: the whole configuration if `group` is empty, and otherwise one group.
bool ReadObject(const Json& object, const std::string& group, Options* options,
                std::string* error) {
  std::set<std::string_view> seen;
  for (const auto& member : object.GetObject()) {
    const std::string_view key = View(member.name);
    const std::string path = group.empty() ? std::string(key) : group + "." + std::string(key);
    const bool nested = key.find('.') != std::string_view::npos;
    const Setting* setting = nested ? nullptr : FindSetting(path);
    if (setting == nullptr && !IsGroup(path)) {
      *error = UnknownKey(path);
      return false;
    }
    if (!seen.insert(key).second) {
      *error = path + ": given twice";
      return false;
    }
    if (setting != nullptr) {
      if (!Set(*setting, member.value, options, error)) return false;
    } else if (!member.value.IsObject()) {
      *error = path + ": expected an object, found " + Shown(member.value);
      return false;
    } else if (!ReadObject(member.value, path, options, error)) {
      return false;
    }
  }
  return true;
}

/// Returns the position of a byte in `text`, such as "line 3, column 17". Columns count characters.
std::string Position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  const auto column =
      1 + std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

bool ParseObject(std::string_view text, Document* document, std::string* error) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    *error = "the configuration is empty: expected a JSON object";
    return false;
  }
  if (text.size() > kMaxBytes) {
    *error = "the configuration is longer than " + std::to_string(kMaxBytes) + " bytes";
    return false;
  }
  const std::size_t nul = text.find('\0');  // rapidjson treats it as the end
  if (nul != std::string_view::npos) {
    *error = "the configuration is not JSON: " + Position(text, nul) + ": a NUL character";
    return false;
  }
  const rapidjson::ParseResult result = document->ParseText(text);
  if (result.IsError()) {
    *error = "the configuration is not JSON: " + Position(text, result.Offset()) + ": " +
             rapidjson::GetParseError_En(result.Code());
    return false;
  }
  if (!document->IsObject()) {
    *error = "the configuration is not a JSON object but " + Shown(*document);
    return false;
  }
  return true;
}

}  // namespace

ConfigurationStatus ReadConfiguration(std::string_view json, Options* options, std::string* error) {
  Document document;
  if (!ParseObject(json, &document, error)) return ConfigurationStatus::kMalformed;
  Options result = *options;
  if (!ReadObject(document, "", &result, error)) return ConfigurationStatus::kInvalid;
  *options = std::move(result);
  return ConfigurationStatus::kOk;
}

}  // namespace tracekin::configuration
