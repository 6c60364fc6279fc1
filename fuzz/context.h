// SPDX-License-Identifier: Apache-2.0
// Makes a span context from an input: any that a tracer could have, and some that no tracer has.
#ifndef TRACEKIN_FUZZ_CONTEXT_H
#define TRACEKIN_FUZZ_CONTEXT_H

#include <cstdint>

#include "fuzz/input.h"
#include "propagation/context.h"

namespace tracekin {

/// Reads 33 bytes: decision and random flag, then the four ids. Sets no extras.
inline propagation::Context TakeContext(Input* input) {
  propagation::Context context;
  const auto flags = input->Take<std::uint8_t>();
  context.decision = static_cast<propagation::Decision>(flags & 3);
  context.random_trace_id = (flags & 4) != 0;
  context.trace_id_high = input->Take<std::uint64_t>();
  context.trace_id_low = input->Take<std::uint64_t>();
  context.span_id = input->Take<std::uint64_t>();
  context.parent_span_id = input->Take<std::uint64_t>();
  return context;
}

}  // namespace tracekin

#endif  // TRACEKIN_FUZZ_CONTEXT_H
