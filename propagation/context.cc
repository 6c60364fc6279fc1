// SPDX-License-Identifier: Apache-2.0
#include "propagation/context.h"

#include <algorithm>

namespace tracekin::propagation {

namespace {

template <typename Items>
auto Find(Items& baggage, std::string_view key) {
  return std::find_if(baggage.begin(), baggage.end(),
                      [key](const auto& item) { return item.first == key; });
}

// Returns whether `key` can be set to `value` when that frees `replaced` bytes.
bool Fits(const Baggage& baggage, std::string_view key, std::string_view value,
          std::size_t replaced) {
  // Compare untrusted sizes before adding them, because the sum could overflow.
  if (key.size() > kMaxBaggageBytes || value.size() > kMaxBaggageBytes) return false;
  std::size_t bytes = key.size() + value.size();
  for (const auto& item : baggage) bytes += item.first.size() + item.second.size();
  return bytes - replaced <= kMaxBaggageBytes;
}

}  // namespace

bool AddBaggageItem(std::string_view key, std::string_view value, Baggage* baggage) {
  if (baggage->size() == kMaxBaggageItems || Find(*baggage, key) != baggage->end() ||
      !Fits(*baggage, key, value, 0)) {
    return false;
  }
  baggage->emplace_back(key, value);
  return true;
}

std::shared_ptr<const ContextExtras> WithBaggageItem(
    const std::shared_ptr<const ContextExtras>& extras, std::string_view key,
    std::string_view value) {
  if (!extras) {
    auto first = std::make_shared<ContextExtras>();
    return AddBaggageItem(key, value, &first->baggage) ? first : extras;
  }
  const Baggage& baggage = extras->baggage;
  const auto item = Find(baggage, key);
  if (item == baggage.end()) {
    auto longer = std::make_shared<ContextExtras>(*extras);
    return AddBaggageItem(key, value, &longer->baggage) ? longer : extras;
  }
  if (!Fits(baggage, key, value, item->first.size() + item->second.size())) return extras;
  auto changed = std::make_shared<ContextExtras>(*extras);
  changed->baggage[static_cast<std::size_t>(item - baggage.begin())].second = value;
  return changed;
}

}  // namespace tracekin::propagation
