// SPDX-License-Identifier: Apache-2.0
#include "propagation/tracestate.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.h"
#include "propagation/context.h"

namespace tracekin::propagation {

namespace {

constexpr std::size_t kMaxMembers = 32;
constexpr std::size_t kMaxKeyBytes = 256;
constexpr std::size_t kMaxValueBytes = 256;

constexpr CharSet kKeyStart = CharSet{}.Add('a', 'z').Add('0', '9');
constexpr CharSet kKeyChars = kKeyStart.Add("_-*/@");
constexpr CharSet kValueChars = CharSet{}.Add(' ', '+').Add('-', '<').Add('>', '~');

bool IsKey(std::string_view key) {
  return !key.empty() && key.size() <= kMaxKeyBytes && kKeyStart.Has(key[0]) &&
         kKeyChars.HasAll(key);
}

bool IsValue(std::string_view value) {
  return !value.empty() && value.size() <= kMaxValueBytes && kValueChars.HasAll(value);
}

}  // namespace

bool ParseTracestate(std::string_view text, std::string* tracestate) {
  if (text.size() > kMaxTracestateBytes) return false;
  std::array<std::string_view, kMaxMembers> keys;
  std::size_t count = 0;
  std::string result;
  while (!text.empty()) {
    const std::string_view member = TrimOws(NextPart(',', &text));
    if (member.empty()) continue;
    const std::size_t equals = member.find('=');
    const std::string_view key = member.substr(0, equals);
    if (count == kMaxMembers || equals == std::string_view::npos || !IsKey(key) ||
        !IsValue(member.substr(equals + 1))) {
      return false;
    }
    const bool repeated =
        std::find(keys.begin(), keys.begin() + count, key) != keys.begin() + count;
    keys[count++] = key;
    if (repeated) continue;
    if (!result.empty()) result.push_back(',');
    result.append(member);
  }
  *tracestate = std::move(result);
  return true;
}

}  // namespace tracekin::propagation
