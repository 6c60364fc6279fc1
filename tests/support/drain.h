// SPDX-License-Identifier: Apache-2.0
// All that a span queue has, for tests.
#ifndef TRACEKIN_TESTS_SUPPORT_DRAIN_H
#define TRACEKIN_TESTS_SUPPORT_DRAIN_H

#include <cstddef>
#include <functional>

#include "exporter/pipeline/span_queue.h"

namespace tracekin::testing {

/// Collects once, and visits what was collected; returns how many spans that were.
inline std::size_t DrainTo(SpanQueue* queue, SpanQueue::What what,
                           const std::function<void(const char* span)>& visit) {
  queue->Collect(what);
  std::size_t spans = 0;
  while (!queue->drained()) spans += queue->ReadChunk(visit);
  return spans;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_DRAIN_H
