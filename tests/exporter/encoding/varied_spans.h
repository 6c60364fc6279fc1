// SPDX-License-Identifier: Apache-2.0
// Spans that differ in all that a span may have, the same ones each time: what encoders must agree
// on.
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
  /// Span i has the id i + 1. It belongs to the trace `trace_id` or, if i is odd, to the 128-bit one
  /// whose high half is kHigh. It starts i ms after `start_ns`.
  VariedSpans(std::size_t count, std::uint64_t trace_id, std::int64_t start_ns);

  const std::vector<SpanRecord>& spans() const { return spans_; }

  static constexpr std::uint64_t kHigh = 0xfedcba9876543210;

 private:
  SpanRecord Make(std::size_t i, std::uint64_t trace_id, std::int64_t start_ns);
  std::string_view Own(std::string text) { return text_.emplace_back(std::move(text)); }

  std::deque<std::string> text_;
  std::vector<SpanRecord> spans_;
};

/// The body that `encoder` makes of `spans`.
std::string Encode(Encoder& encoder, const std::vector<SpanRecord>& spans);

/// "0aFF" as bytes.
std::string FromHex(std::string_view hex);

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_ENCODING_VARIED_SPANS_H
