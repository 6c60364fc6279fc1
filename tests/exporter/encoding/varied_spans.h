// SPDX-License-Identifier: Apache-2.0
// Spans that differ in everything that a span may contain; they are the same in each run. All
// encoders must agree on them.
//
// Owns the records' text.
#ifndef TRACEKIN_TESTS_EXPORTER_ENCODING_VARIED_SPANS_H
#define TRACEKIN_TESTS_EXPORTER_ENCODING_VARIED_SPANS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "exporter/encoding/encoder.h"
#include "tracekin/span_record.h"

namespace tracekin {

class VariedSpans {
 public:
  /// Makes `count` spans. Span i has the id i + 1. It belongs to the trace `trace_id` or, if i is
  /// odd, to the 128-bit trace whose high half is kHigh. It starts i ms after `start_ns`.
  VariedSpans(std::size_t count, std::uint64_t trace_id, std::int64_t start_ns);

  const std::vector<SpanRecord>& spans() const { return spans_; }

  static constexpr std::uint64_t kHigh = 0xfedcba9876543210;

 private:
  SpanRecord Make(std::size_t i, std::uint64_t trace_id, std::int64_t start_ns);
  std::string_view Own(std::string text) { return text_.emplace_back(std::move(text)); }

  std::deque<std::string> text_;
  std::vector<SpanRecord> spans_;
};

/// Returns the body that `encoder` makes from `spans`.
std::string Encode(exporter::Encoder& encoder, const std::vector<SpanRecord>& spans);

/// Converts hexadecimal digits such as "0aFF" to bytes.
std::string FromHex(std::string_view hex);

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_ENCODING_VARIED_SPANS_H
