// SPDX-License-Identifier: Apache-2.0
// A span as Zipkin's first API had it: one Thrift struct in the binary protocol (zipkin.thrift). What
// a span means is said there by annotations of a host, so that a record is translated:
//
//   kind            cs and cr, sr and ss, ms or mr: annotations at the span's start and end
//   remote          "sa", "ca" or "ma", by kind: a binary annotation whose host it is
//   local           the host of all annotations and tags; if there are none, of an empty tag "lc"
//   tags, logs      binary annotations of type STRING, and annotations
//
// The translation is the one that Zipkin undoes (zipkin2.v1.V1SpanConverter). Four things it cannot
// carry are lost there: the kind of a span whose start is not known; tags named sa, ca or ma, and an
// empty lc; a server's remote endpoint that is its local one, and the name of one that has the same.
//
// Not synchronised. Owns a buffer that grows to the largest span seen.
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

  /// Whether Zipkin can read the struct of such a span. Its trace_id is the lower half of the id,
  /// which must not be 0; W3C and B3 allow a 128-bit id of which it is.
  static bool CanHold(const SpanRecord& span) {
    return span.span_id != 0 && span.trace_id_low != 0;
  }

  /// See ZipkinModel::set_resource.
  void set_resource(const Resource* resource);

  /// The struct's bytes, until the next call. Throws std::bad_alloc, and
  /// apache::thrift::TException if a text has more than 2 GiB.
  std::string_view Write(const SpanRecord& span);

 private:
  class Output;
  std::unique_ptr<Output> output_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_SPAN_H
