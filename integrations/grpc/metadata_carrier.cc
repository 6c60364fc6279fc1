// SPDX-License-Identifier: Apache-2.0
#include "integrations/grpc/metadata_carrier.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace tracekin {
namespace {

using opentracing::expected;
using opentracing::string_view;

string_view View(const ::grpc::string_ref& text) { return {text.data(), text.size()}; }

std::string LowerCase(string_view text) {
  std::string result(text.data(), text.size());
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool IsKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool IsValueCharacter(char c) { return c >= 0x20 && c <= 0x7e; }

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// Implements "Requests" of https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md.
bool IsLegal(const std::string& key, string_view value) {
  if (key.empty() || !std::all_of(key.begin(), key.end(), IsKeyCharacter)) return false;
  if (StartsWith(key, "grpc-")) return false;  // Reserved, for example grpc-timeout.
  if (EndsWith(key, "-bin")) return true;      // gRPC encodes these itself.
  return std::all_of(value.begin(), value.end(), IsValueCharacter);
}

}  // namespace

expected<string_view> MetadataReader::LookupKey(string_view key) const {
  const std::string name = LowerCase(key);
  // lower_bound returns the entry that arrived first, while find may return any of several.
  const auto entry = metadata_.lower_bound(name);
  if (entry == metadata_.end() || entry->first != ::grpc::string_ref(name)) {
    return opentracing::make_unexpected(opentracing::key_not_found_error);
  }
  return View(entry->second);
}

expected<void> MetadataReader::ForeachKey(
    std::function<expected<void>(string_view, string_view)> f) const {
  for (auto entry = metadata_.begin(); entry != metadata_.end();
       entry = metadata_.upper_bound(entry->first)) {
    auto result = f(View(entry->first), View(entry->second));
    if (!result) return result;
  }
  return {};
}

expected<void> MetadataWriter::Set(string_view key, string_view value) const {
  std::string name = LowerCase(key);
  const std::size_t bytes = name.size() + value.size();
  if (bytes > kMaxBytes - bytes_ || !IsLegal(name, value)) return {};
  bytes_ += bytes;
  metadata_.erase(name);
  metadata_.emplace(std::move(name), std::string(value.data(), value.size()));
  return {};
}

}  // namespace tracekin
