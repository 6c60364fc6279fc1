// SPDX-License-Identifier: Apache-2.0
// Reads the Thrift output of our encoders with libthrift and its generated code.
//
// The functions fail the running test if the input is not valid.
#ifndef TRACEKIN_TESTS_EXPORTER_ENCODING_THRIFT_SPANS_H
#define TRACEKIN_TESTS_EXPORTER_ENCODING_THRIFT_SPANS_H

#include <string>
#include <vector>

#include "exporter/encoding/zipkin_types.h"
#include "tracekin/span_record.h"

namespace tracekin {

/// Reads the body of a POST to /api/v1/spans.
std::vector<thrift::Span> ReadSpans(const std::string& list);

/// Reads one struct, which must be the whole input.
thrift::Span ReadSpan(const std::string& bytes);

std::string FromBase64(std::string_view text);

/// Expects that `read` represents `span` in Zipkin's v1 model.
void ExpectSpan(const thrift::Span& read, const SpanRecord& span);

}  // namespace tracekin

#endif  // TRACEKIN_TESTS_EXPORTER_ENCODING_THRIFT_SPANS_H
