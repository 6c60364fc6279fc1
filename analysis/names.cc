// SPDX-License-Identifier: Apache-2.0
#include "analysis/names.h"

namespace tracekin::analysis {

std::uint32_t Names::Number(std::string_view text) {
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
