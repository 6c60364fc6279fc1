// SPDX-License-Identifier: Apache-2.0
// Drains a span queue, for tests.
#ifndef TRACEKIN_TESTS_SUPPORT_DRAIN_H
#define TRACEKIN_TESTS_SUPPORT_DRAIN_H

#include <cstddef>
#include <functional>

#include "exporter/pipeline/span_queue.h"

namespace tracekin::testing {

/// Collects once and visits the collected spans. Returns their number.
inline std::size_t DrainTo(exporter::SpanQueue* queue, exporter::SpanQueue::What what,
                           const std::function<void(const char* span)>& visit) {
  queue->Collect(what);
  std::size_t spans = 0;
  while (!queue->drained()) spans += queue->ReadChunk(visit);
  return spans;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_DRAIN_H
