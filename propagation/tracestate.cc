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
constexpr std::size_t kMaxTenantBytes = 241;
constexpr std::size_t kMaxSystemBytes = 14;
constexpr std::size_t kMaxValueBytes = 256;

constexpr CharSet kLowerCase = CharSet{}.Add('a', 'z');
constexpr CharSet kKeyStart = kLowerCase.Add('0', '9');
constexpr CharSet kKeyChars = kKeyStart.Add("_-*/");
constexpr CharSet kValueChars = CharSet{}.Add(' ', '+').Add('-', '<').Add('>', '~');

bool IsName(std::string_view text, const CharSet& start, std::size_t max_bytes) {
  return !text.empty() && text.size() <= max_bytes && start.Has(text[0]) && kKeyChars.HasAll(text);
}

// Implements Level 1 of the specification, but also accepts a digit as the first character, like
// Level 2. Level 2 also allows '@' anywhere, but the working group's validation suite requires such
// keys to be rejected.
bool IsKey(std::string_view key) {
  const std::size_t at = key.find('@');
  if (at == std::string_view::npos) return IsName(key, kKeyStart, kMaxKeyBytes);
  return IsName(key.substr(0, at), kKeyStart, kMaxTenantBytes) &&
         IsName(key.substr(at + 1), kLowerCase, kMaxSystemBytes);
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
        !IsValue(member.substr(equals + 1)) ||
        std::find(keys.begin(), keys.begin() + count, key) != keys.begin() + count) {
      return false;
    }
    keys[count++] = key;
    if (!result.empty()) result.push_back(',');
    result.append(member);
  }
  *tracestate = std::move(result);
  return true;
}

}  // namespace tracekin::propagation
