// SPDX-License-Identifier: Apache-2.0
// The part of a span that crosses process boundaries, independent of carriers and live spans.
//
// This is a plain value: a copy consists of four integers, the flags and a pointer to immutable
// extras. It is not synchronised. The owner of a copy may change it freely.
#ifndef TRACEKIN_PROPAGATION_CONTEXT_H
#define TRACEKIN_PROPAGATION_CONTEXT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracekin::propagation {

/// The four states of B3 (b3-propagation, "Sampling State"). The other formats use a subset.
enum class Decision : std::uint8_t {
  kDeferred,  // no decision has been made: the receiver makes it
  kDeny,
  kAccept,
  kDebug,  // accepted, and samplers further on must not overrule it
};

/// Baggage in order of insertion. Keys are unique, and the limits below apply.
using Baggage = std::vector<std::pair<std::string, std::string>>;

// The minimum that W3C Baggage, section 3.3.2 "Limits", requires implementations to propagate.
// tracekin drops whole items beyond these limits.
constexpr std::size_t kMaxBaggageItems = 64;
constexpr std::size_t kMaxBaggageBytes = 8192;

// W3C Trace Context, section "tracestate Limits", requires at least 512.
constexpr std::size_t kMaxTracestateBytes = 4096;

/// The part of a context that is rarely present. Immutable once shared.
struct ContextExtras {
  Baggage baggage;
  std::string tracestate;  // W3C, as received; made by ParseTracestate
};

struct Context {
  std::uint64_t trace_id_high = 0;  // 0 for 64-bit trace ids
  std::uint64_t trace_id_low = 0;
  std::uint64_t span_id = 0;
  std::uint64_t parent_span_id = 0;  // 0 for a root span
  Decision decision = Decision::kDeferred;
  bool random_trace_id = false;  // W3C Level 2: the last 7 bytes of the trace id are random
  std::shared_ptr<const ContextExtras> extras;  // null if empty

  /// Returns false for a context with only a sampling decision or baggage.
  bool has_ids() const { return (trace_id_high | trace_id_low) != 0 && span_id != 0; }
  bool has_decision() const { return decision != Decision::kDeferred; }
  bool sampled() const { return decision >= Decision::kAccept; }
};

/// Appends an item and returns true, unless the key exists or the limits above would be exceeded.
/// Throws std::bad_alloc.
bool AddBaggageItem(std::string_view key, std::string_view value, Baggage* baggage);

/// Returns a copy of `extras` (which may be null) with `key` set to `value`, or `extras` itself if
/// the limits above would be exceeded. Throws std::bad_alloc.
std::shared_ptr<const ContextExtras> WithBaggageItem(
    const std::shared_ptr<const ContextExtras>& extras, std::string_view key,
    std::string_view value);

}  // namespace tracekin::propagation

#endif  // TRACEKIN_PROPAGATION_CONTEXT_H
