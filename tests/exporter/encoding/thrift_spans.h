// SPDX-License-Identifier: Apache-2.0
// Reading back, with libthrift and what its compiler generates, what our encoders wrote in Thrift.
//
// The functions fail the running test if there is nothing to read.
#ifndef TRACEKIN_TESTS_EXPORTER_ENCODING_THRIFT_SPANS_H
#define TRACEKIN_TESTS_EXPORTER_ENCODING_THRIFT_SPANS_H

#include <string>
#include <vector>

#include "exporter/encoding/zipkin_types.h"
#include "tracekin/span_record.h"

namespace tracekin {

/// Of a body for POST /api/v1/spans.
std::vector<thrift::Span> ReadSpans(const std::string& list);

/// Of one struct; nothing may follow it.
thrift::Span ReadSpan(const std::string& bytes);

std::string FromBase64(std::string_view text);

/// Expects that `read` says in Zipkin's first model what `span` says in ours.
void ExpectSpan(const thrift::Span& read, const SpanRecord& span);

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_ENCODING_THRIFT_SPANS_H
