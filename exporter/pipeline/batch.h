// SPDX-License-Identifier: Apache-2.0
// A batch of spans between the queue and the collector, stored as consecutive bytes.
#ifndef TRACEKIN_EXPORTER_PIPELINE_BATCH_H
#define TRACEKIN_EXPORTER_PIPELINE_BATCH_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "exporter/pipeline/span_bytes.h"

namespace tracekin::exporter {

struct Batch {
  std::string bytes;  // spans (span_bytes.h), each padded to a multiple of eight bytes
  std::size_t spans = 0;
  // The resource of spans that another process left in the spool, encoded as entries
  // (span_bytes.h). Empty for spans of this tracer.
  std::string resource;
  std::chrono::steady_clock::time_point made = {};  // time when its first span was added
  std::uint64_t tries = 0;                          // number of failed tries
  unsigned divisions = 0;                           // number of divisions that led to this batch

  /// Appends a copy of a span, or changes nothing and throws std::bad_alloc.
  void Add(const char* span) {
    const std::uint32_t size = SpanSize(span);
    const std::size_t before = bytes.size();
    try {
      bytes.append(span, size).append(AlignedSpanSize(size) - size, '\0');
    } catch (...) {
      bytes.resize(before);
      throw;
    }
    ++spans;
  }

  /// Empties the batch but keeps its memory.
  void Clear() noexcept {
    bytes.clear();
    spans = 0;
    resource.clear();
    tries = 0;
    divisions = 0;
  }

  /// Calls `visit(span)` for each span.
  template <class Visitor>
  void ForEach(Visitor visit) const {
    const char* at = bytes.data();
    for (std::size_t i = 0; i < spans; ++i, at += AlignedSpanSize(SpanSize(at))) visit(at);
  }

  /// Removes the second half of the spans and returns it, or changes nothing and throws
  /// std::bad_alloc. REQUIRES: spans >= 2.
  Batch SplitOff() {
    const std::size_t kept = spans / 2;
    std::size_t at = 0;
    for (std::size_t i = 0; i < kept; ++i) at += AlignedSpanSize(SpanSize(bytes.data() + at));
    Batch rest;
    rest.bytes = bytes.substr(at);
    rest.spans = spans - kept;
    rest.resource = resource;
    rest.made = made;
    rest.divisions = ++divisions;
    bytes.resize(at);
    spans = kept;
    return rest;
  }
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_BATCH_H
