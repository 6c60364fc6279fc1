// SPDX-License-Identifier: Apache-2.0
// What of a span crosses the boundary of a process, free of any carrier and of any live span.
//
// A plain value: copying it copies four integers, a byte and one pointer to immutable extras. Not
// synchronised; the owner of a copy does as it likes.
#ifndef TRACEKIN_PROPAGATION_CONTEXT_H
#define TRACEKIN_PROPAGATION_CONTEXT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracekin {

/// The four states of B3 (b3-propagation, "Sampling State"); the other formats use a subset of
/// them.
enum class Decision : std::uint8_t {
  kDeferred,  // nobody has decided yet: the receiver does
  kDeny,
  kAccept,
  kDebug,  // accepted, and no sampler on the way may overrule it
};

/// Baggage in order of insertion, keys unique; bounded by the limits below.
using Baggage = std::vector<std::pair<std::string, std::string>>;

// W3C Baggage, section 3.3.2 "Limits": what must be propagated. tracekin drops whole items beyond
// it.
constexpr std::size_t kMaxBaggageItems = 64;
constexpr std::size_t kMaxBaggageBytes = 8192;

// W3C Trace Context, section "tracestate Limits", asks for 512 at least.
constexpr std::size_t kMaxTracestateBytes = 4096;

/// The part of a context that is rarely there. Immutable once shared.
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
  bool random_trace_id =
      false;  // W3C Level 2: whoever made the trace id drew its last 7 bytes at random
  std::shared_ptr<const ContextExtras> extras;  // null if there are none

  /// False for a context that carries a sampling decision or baggage only.
  bool has_ids() const { return (trace_id_high | trace_id_low) != 0 && span_id != 0; }
  bool has_decision() const { return decision != Decision::kDeferred; }
  bool sampled() const { return decision >= Decision::kAccept; }
};

/// Appends an item, unless there is one of that key or the limits above do not allow it. Returns
/// whether it did. Throws std::bad_alloc.
bool AddBaggageItem(std::string_view key, std::string_view value, Baggage* baggage);

/// A copy of `extras` (which may be null) with `key` set to `value`, or `extras` itself if the
/// limits above do not allow it. Throws std::bad_alloc.
std::shared_ptr<const ContextExtras> WithBaggageItem(
    const std::shared_ptr<const ContextExtras>& extras, std::string_view key,
    std::string_view value);

}  // namespace tracekin

#endif  // TRACEKIN_PROPAGATION_CONTEXT_H
