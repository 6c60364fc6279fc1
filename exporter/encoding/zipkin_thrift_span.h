// SPDX-License-Identifier: Apache-2.0
// Encodes a span for Zipkin's v1 API, as one Thrift struct in the binary protocol (zipkin.thrift).
// The v1 API uses annotations with a host for facts that a record stores in fields, so a record is
// translated:
//
//   kind            cs and cr, sr and ss, ms or mr: annotations at the span's start and end
//   remote          "sa", "ca" or "ma", by kind: a binary annotation that has it as the host
//   local           the host of all annotations and tags; if there are none, of an empty tag "lc"
//   tags, logs      binary annotations of type STRING, and annotations
//
// Zipkin reverses this translation (zipkin2.v1.V1SpanConverter). The v1 API cannot express the
// following, so it is lost:
//
//   - the kind of a span whose start is unknown
//   - tags named sa, ca or ma, and an empty tag lc
//   - the remote endpoint of a server if it equals the local endpoint
//   - the service name of a server's remote endpoint if it equals the local service name
//
// Thread-safety: not synchronized. Owns a buffer that grows to the largest span encoded so far.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_SPAN_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_SPAN_H

#include <memory>
#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin::exporter {

class ZipkinThriftSpan {
 public:
  ZipkinThriftSpan();
  ~ZipkinThriftSpan();

  /// Returns whether Zipkin can read the struct of this span. The field trace_id contains the lower
  /// half of the trace id and must not be 0. W3C and B3 allow 128-bit ids whose lower half is 0.
  static bool CanHold(const SpanRecord& span) {
    return span.span_id != 0 && span.trace_id_low != 0;
  }

  /// See ZipkinModel::set_resource.
  void set_resource(const Resource* resource);

  /// Returns the bytes of the struct, which are valid until the next call. Throws std::bad_alloc,
  /// and apache::thrift::TException if a string is longer than 2 GiB.
  std::string_view Write(const SpanRecord& span);

 private:
  class Output;
  std::unique_ptr<Output> output_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_SPAN_H
