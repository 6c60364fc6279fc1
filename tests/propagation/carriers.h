// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of propagation/: a carrier that imitates the capabilities and defects of
// real ones, and short functions that inject into it and extract from it.
#ifndef TRACEKIN_TESTS_PROPAGATION_CARRIERS_H
#define TRACEKIN_TESTS_PROPAGATION_CARRIERS_H

#include <gtest/gtest.h>
#include <opentracing/propagation.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "propagation/context.h"
#include "propagation/propagation.h"

namespace tracekin::propagation {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// Keeps its entries in order, including repeated keys. LookupKey compares keys exactly, like most
/// carriers.
struct TestCarrier : opentracing::HTTPHeadersReader, opentracing::HTTPHeadersWriter {
  TestCarrier() = default;
  explicit TestCarrier(Entries initial) : entries(std::move(initial)) {}

  opentracing::expected<void> Set(opentracing::string_view key,
                                  opentracing::string_view value) const override {
    if (set_error) return opentracing::make_unexpected(set_error);
    if (throws) throw std::runtime_error("carrier");
    entries.emplace_back(key, value);
    return {};
  }

  opentracing::expected<opentracing::string_view> LookupKey(
      opentracing::string_view key) const override {
    ++lookups;
    if (lookup_error) return opentracing::make_unexpected(lookup_error);
    if (throws) throw std::runtime_error("carrier");
    if (!supports_lookup) {
      return opentracing::make_unexpected(opentracing::lookup_key_not_supported_error);
    }
    for (const auto& entry : entries) {
      if (entry.first == std::string(key)) return opentracing::string_view{entry.second};
    }
    return opentracing::make_unexpected(opentracing::key_not_found_error);
  }

  opentracing::expected<void> ForeachKey(
      std::function<opentracing::expected<void>(opentracing::string_view, opentracing::string_view)>
          visit) const override {
    ++iterations;
    for (const auto& entry : entries) {
      // Overwrites the strings after the callback, so that a test fails if they are still used.
      std::string key = entry.first;
      std::string value = entry.second;
      auto done = visit(key, value);
      key.assign(key.size(), '?');
      value.assign(value.size(), '?');
      if (!done) return done;
    }
    if (foreach_error) return opentracing::make_unexpected(foreach_error);
    return {};
  }

  mutable Entries entries;
  bool supports_lookup = false;
  bool throws = false;
  std::error_code set_error;
  std::error_code lookup_error;
  std::error_code foreach_error;
  mutable int lookups = 0;
  mutable int iterations = 0;
};

inline std::unique_ptr<Propagation> MakePropagation(const std::vector<std::string>& formats) {
  std::string error;
  auto propagation = Propagation::Make(formats, formats, &error);
  EXPECT_NE(propagation, nullptr) << error;
  return propagation;
}

/// Returns the entries that one format writes for `context`.
inline Entries Inject(const std::string& format, const Context& context) {
  TestCarrier carrier;
  EXPECT_TRUE(MakePropagation({format})->Inject(context, carrier));
  return carrier.entries;
}

/// The result of Extract, and the context if it found one.
struct Extracted {
  std::error_code error;
  bool found = false;
  Context context;

  Baggage baggage() const { return context.extras ? context.extras->baggage : Baggage{}; }
  std::string tracestate() const { return context.extras ? context.extras->tracestate : ""; }
};

inline Extracted Extract(const std::vector<std::string>& formats, const TestCarrier& carrier) {
  Extracted result;
  auto outcome = MakePropagation(formats)->Extract(carrier, &result.context);
  if (!outcome) {
    result.error = outcome.error();
  } else {
    result.found = *outcome;
  }
  return result;
}

inline Extracted Extract(const std::vector<std::string>& formats, const Entries& entries) {
  return Extract(formats, TestCarrier{entries});
}

inline Context MakeContext(std::uint64_t high, std::uint64_t low, std::uint64_t span_id,
                           std::uint64_t parent_span_id, Decision decision) {
  Context context;
  context.trace_id_high = high;
  context.trace_id_low = low;
  context.span_id = span_id;
  context.parent_span_id = parent_span_id;
  context.decision = decision;
  return context;
}

inline Context WithExtras(Context context, Baggage baggage, std::string tracestate = {}) {
  auto extras = std::make_shared<ContextExtras>();
  extras->baggage = std::move(baggage);
  extras->tracestate = std::move(tracestate);
  context.extras = std::move(extras);
  return context;
}

inline bool operator==(const Context& a, const Context& b) {
  const ContextExtras none;
  const ContextExtras& extras_a = a.extras ? *a.extras : none;
  const ContextExtras& extras_b = b.extras ? *b.extras : none;
  return a.trace_id_high == b.trace_id_high && a.trace_id_low == b.trace_id_low &&
         a.span_id == b.span_id && a.parent_span_id == b.parent_span_id &&
         a.decision == b.decision && a.random_trace_id == b.random_trace_id &&
         extras_a.baggage == extras_b.baggage && extras_a.tracestate == extras_b.tracestate;
}

inline std::ostream& operator<<(std::ostream& out, const Context& context) {
  out << std::hex << context.trace_id_high << '.' << context.trace_id_low << '/' << context.span_id
      << '<' << context.parent_span_id << std::dec << " decision "
      << static_cast<int>(context.decision) << " random " << context.random_trace_id;
  if (context.extras) {
    for (const auto& item : context.extras->baggage) {
      out << " [" << item.first << '=' << item.second << ']';
    }
    out << " tracestate " << context.extras->tracestate;
  }
  return out;
}

}  // namespace tracekin::propagation

#endif  // TRACEKIN_TESTS_PROPAGATION_CARRIERS_H
