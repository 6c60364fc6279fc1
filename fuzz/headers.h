// SPDX-License-Identifier: Apache-2.0
// Makes text carriers from an input of lines "key: value", and checks what holds for every format.
#ifndef TRACEKIN_FUZZ_HEADERS_H
#define TRACEKIN_FUZZ_HEADERS_H

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "tests/propagation/carriers.h"

namespace tracekin::propagation {

/// Reads at most 128 of the remaining lines. A line without a colon is a key with an empty value.
inline Entries TakeHeaders(Input* input) {
  Entries headers;
  while (!input->rest().empty() && headers.size() < 128) {
    const std::string_view line = input->TakeLine();
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::size_t value =
        std::min(line.size(), colon + (line.substr(colon, 2) == ": " ? 2 : 1));
    headers.emplace_back(line.substr(0, colon), line.substr(value));
  }
  return headers;
}

inline std::string LowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Returns the first of each key, in lower case. LookupKey and iteration cannot differ on these.
inline Entries Unambiguous(const Entries& headers) {
  std::set<std::string> keys;
  Entries result;
  for (const auto& [key, value] : headers) {
    const std::string name = LowerCase(key);
    if (keys.insert(name).second) result.emplace_back(name, value);
  }
  return result;
}

/// Calls Extract and checks the invariants of any result.
inline Extracted CheckedExtract(const std::vector<std::string>& formats, const Entries& headers) {
  const Extracted extracted = Extract(formats, headers);
  CHECK(!extracted.error || extracted.error == opentracing::span_context_corrupted_error);
  CHECK(extracted.found || extracted.context == Context{});
  Baggage within_limits;
  for (const auto& [key, value] : extracted.baggage()) {
    CHECK(propagation::AddBaggageItem(key, value, &within_limits));
    std::string scratch;
    CHECK(Sanitize(value, &scratch) == value);
  }
  CHECK(extracted.tracestate().size() <= propagation::kMaxTracestateBytes);
  return extracted;
}

/// Checks that a carrier is read the same with LookupKey as by iteration. The exception is Jaeger
/// baggage without an uber-trace-id, which only iteration can see.
inline void CheckAskedAsIterated(const std::vector<std::string>& formats, const Entries& headers) {
  TestCarrier carrier(Unambiguous(headers));
  const auto has = [&carrier](auto matches) {
    return std::any_of(carrier.entries.begin(), carrier.entries.end(),
                       [&](const auto& entry) { return matches(entry.first); });
  };
  const bool items = has([](const std::string& key) { return key.rfind("uberctx-", 0) == 0; });
  if (items && !has([](const std::string& key) { return key == "uber-trace-id"; })) return;
  const Extracted iterated = CheckedExtract(formats, carrier.entries);
  carrier.supports_lookup = true;
  const Extracted asked = Extract(formats, carrier);
  CHECK(asked.found == iterated.found && asked.error == iterated.error);
  CHECK(asked.context == iterated.context);
}

/// Injects a context and checks the invariants of any format's output.
inline Entries CheckedInject(const std::string& format, const Context& context) {
  const auto printable = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  };
  const Entries headers = Inject(format, context);
  CHECK(Unambiguous(headers) == headers);
  for (const auto& [key, value] : headers)
    CHECK(!key.empty() && printable(key) && printable(value));
  return headers;
}

}  // namespace tracekin::propagation

#endif  // TRACEKIN_FUZZ_HEADERS_H
