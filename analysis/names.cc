// SPDX-License-Identifier: Apache-2.0
#include "analysis/names.h"

#include <algorithm>
#include <cstring>

namespace tracekin::analysis {

namespace {

// Returns a hash of the length and of the first and last eight bytes.
std::size_t QuickHash(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t first = 0, last = 0;
  const std::size_t size = std::min(text.size(), sizeof first);
  if (size > 0) {
    std::memcpy(&first, text.data(), size);
    std::memcpy(&last, text.data() + text.size() - size, size);
  }
  return ((first ^ last * 31 ^ text.size()) * kFactor) >> 56;
}

}  // namespace

std::uint32_t Names::Number(std::string_view text) {
  Recent& recent = recent_[QuickHash(text)];
  if (recent.text == text) return recent.number;
  const std::uint32_t number = Find(text);
  recent = {texts_[number], number};
  return number;
}

std::uint32_t Names::Find(std::string_view text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  if (texts_.size() >= limit_) {
    ++refused_;
    return 0;
  }
  texts_.emplace_back(text);
  const auto number = static_cast<std::uint32_t>(texts_.size() - 1);
  numbers_.emplace(texts_.back(), number);
  return number;
}

}  // namespace tracekin::analysis
