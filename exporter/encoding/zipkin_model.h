// SPDX-License-Identifier: Apache-2.0
// Translates a SpanRecord to Zipkin's model, which all of Zipkin's formats share. The model has
// fewer concepts than a SpanRecord, so they are translated as follows:
//
//   tags of any type   text
//   the resource       the local endpoint's name, and its tags on each span that does not set them
//   peer.service, peer.ipv4, peer.ipv6, peer.port (OpenTracing's semantic conventions)
//                      the remote endpoint, unless the value is not a valid address or port
//   error=false        omitted, because Zipkin treats any tag `error` as a failure
//   a failed status    the tag `error`, unless the span already has one
//   a log's fields     part of the annotation's text (log_line.h)
//   links, trace state, and whether the trace id is random
//                      omitted
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_MODEL_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_MODEL_H

#include <netinet/in.h>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin::exporter {

/// Not synchronized. Reuses its memory from one span to the next.
class ZipkinModel {
 public:
  /// Sets the resource of the following spans, which is borrowed. If it is null, spans get no
  /// additional tags and no default service name.
  void set_resource(const Resource* resource) { resource_ = resource; }

  /// Returns `span` in Zipkin's model. All tags are text, and annotations have text but no fields.
  /// The result is valid until the next call, as long as `span` and the resource are valid. Throws
  /// std::bad_alloc.
  const SpanRecord& Translate(const SpanRecord& span);

 private:
  bool IsToldAsItIs(const SpanRecord& span) const;
  const SpanRecord& Copy(const SpanRecord& span);
  void TakeResource(const SpanRecord& span);
  void TakeTag(const SpanRecord::Tag& tag);
  bool TakePeer(std::string_view field, std::string_view value);
  void TakeAnnotation(const SpanRecord::Annotation& annotation);

  const Resource* resource_ = nullptr;
  SpanRecord told_;
  char remote_ipv4_[INET_ADDRSTRLEN];
  std::deque<std::string> lines_;  // annotation text; the current span uses the first `lines_used_`
  std::size_t lines_used_ = 0;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_MODEL_H
