// SPDX-License-Identifier: Apache-2.0
// The keys under which each format stores its values, and the maximum length of each value.
//
// They are written in lower case, as listed here, and matched in any case.
#ifndef TRACEKIN_PROPAGATION_CARRIER_KEYS_H
#define TRACEKIN_PROPAGATION_CARRIER_KEYS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "propagation/context.h"

namespace tracekin::propagation {

enum class Key : std::uint8_t {
  kB3,
  kB3TraceId,
  kB3SpanId,
  kB3ParentSpanId,
  kB3Sampled,
  kB3Flags,
  kTraceparent,
  kTracestate,
  kBaggage,
  kUberTraceId,
  kJaegerDebugId,
  kJaegerBaggage,
};

struct KeyTraits {
  std::string_view name;
  std::size_t max_bytes;  // limit; a longer value is malformed, or truncated if it is a list
  bool is_list;           // members separated by commas; several lines form one list, in order
};

constexpr std::array<KeyTraits, 12> kKeyTraits = {{
    {"b3", 68, false},
    {"x-b3-traceid", 32, false},
    {"x-b3-spanid", 16, false},
    {"x-b3-parentspanid", 16, false},
    {"x-b3-sampled", 5, false},
    {"x-b3-flags", 1, false},
    {"traceparent", 255, false},  // 55 in version 00; later versions may be longer
    {"tracestate", kMaxTracestateBytes, true},
    {"baggage", kMaxBaggageBytes, true},
    {"uber-trace-id", 207, false},  // 69 bytes, each percent-encoded
    {"jaeger-debug-id", 255, false},
    {"jaeger-baggage", kMaxBaggageBytes, true},
}};

/// Jaeger stores each baggage item under its own key: this prefix, followed by the item's key.
constexpr std::string_view kJaegerItemPrefix = "uberctx-";

constexpr const KeyTraits& Traits(Key key) { return kKeyTraits[static_cast<std::size_t>(key)]; }
constexpr std::string_view Name(Key key) { return Traits(key).name; }

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_CARRIER_KEYS_H
