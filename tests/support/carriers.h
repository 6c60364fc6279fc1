// SPDX-License-Identifier: Apache-2.0
// Text carriers for tests.
#ifndef TRACEKIN_TESTS_SUPPORT_CARRIERS_H
#define TRACEKIN_TESTS_SUPPORT_CARRIERS_H

#include <opentracing/propagation.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tracekin::testing {

using opentracing::expected;
using opentracing::string_view;

/// A text map and HTTP headers, for reading and writing. Keeps key-value pairs in the order of
/// their arrival. Counts its iterations and the keys that are set repeatedly.
class Pairs : public opentracing::HTTPHeadersReader, public opentracing::HTTPHeadersWriter {
 public:
  Pairs() = default;
  Pairs(std::initializer_list<std::pair<std::string, std::string>> initial) : pairs(initial) {}

  expected<void> Set(string_view key, string_view value) const override {
    for (const auto& pair : pairs) {
      if (pair.first == key) ++repeated;
    }
    pairs.emplace_back(key, value);
    return {};
  }

  expected<void> ForeachKey(
      std::function<expected<void>(string_view, string_view)> visit) const override {
    ++iterations;
    for (const auto& pair : pairs) {
      auto done = visit(pair.first, pair.second);
      if (!done) return done;
    }
    return {};
  }

  std::map<std::string, std::string> Map() const { return {pairs.begin(), pairs.end()}; }

  mutable std::vector<std::pair<std::string, std::string>> pairs;
  mutable int iterations = 0;
  mutable int repeated = 0;  // repeated calls of Set, which the API leaves undefined
};

/// Also supports LookupKey, like a host that keeps its headers in a hash table with lower-case
/// names.
class LookupPairs : public Pairs {
 public:
  using Pairs::Pairs;
  explicit LookupPairs(const Pairs& other) : Pairs(other) {}

  expected<string_view> LookupKey(string_view key) const override {
    ++lookups;
    const std::string name = key;
    for (const auto& pair : pairs) {
      if (strcasecmp(pair.first.c_str(), name.c_str()) == 0) return string_view{pair.second};
    }
    return opentracing::make_unexpected(opentracing::key_not_found_error);
  }

  mutable int lookups = 0;
};

/// Returns `original` with its keys changed by `change`, a function of a char.
template <class Change>
Pairs WithKeys(const Pairs& original, Change change) {
  Pairs changed = original;
  for (auto& pair : changed.pairs) {
    std::transform(pair.first.begin(), pair.first.end(), pair.first.begin(), change);
  }
  return changed;
}

/// Fails every call with `error`.
class FailingCarrier : public opentracing::HTTPHeadersReader,
                       public opentracing::HTTPHeadersWriter {
 public:
  explicit FailingCarrier(std::error_code error) : error_(error) {}

  expected<void> Set(string_view, string_view) const override {
    return opentracing::make_unexpected(error_);
  }
  expected<void> ForeachKey(
      std::function<expected<void>(string_view, string_view)>) const override {
    return opentracing::make_unexpected(error_);
  }

 private:
  const std::error_code error_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_CARRIERS_H
