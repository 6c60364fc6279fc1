// SPDX-License-Identifier: Apache-2.0
#include "tracekin/span_record.h"

#include <cstddef>
#include <iterator>

namespace tracekin {

namespace {

// The names in the order of SpanKind.
constexpr std::string_view kNames[] = {"", "client", "server", "producer", "consumer"};

}  // namespace

std::string_view SpanKindName(SpanKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

SpanKind SpanKindFromName(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<SpanKind>(i);
  }
  return SpanKind::kLocal;
}

}  // namespace tracekin
