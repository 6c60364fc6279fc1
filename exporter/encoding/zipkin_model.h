// SPDX-License-Identifier: Apache-2.0
// What Zipkin is told of a span, in each of its formats. Zipkin's model has less than a SpanRecord:
//
//   tags of any type   text
//   the resource       the local endpoint's name, and its tags on each span that has not set them
//   peer.service, peer.ipv4, peer.ipv6, peer.port (OpenTracing's semantic conventions)
//                      the remote endpoint, unless the value is no address or port
//   error=false        nothing, because Zipkin takes any tag `error` as a failure
//   a failed status    the tag `error`, unless there is one
//   a log's fields     a part of the annotation's text (log_line.h)
//   links, trace state, and whether the trace id is random
//                      nothing
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_MODEL_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_MODEL_H

#include <netinet/in.h>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin::exporter {

/// Not synchronised. Keeps its memory from one span to the next.
class ZipkinModel {
 public:
  /// The resource of the spans to come; borrowed. Without one, spans have no more than their own.
  void set_resource(const Resource* resource) { resource_ = resource; }

  /// Returns `span` as Zipkin is told of it: the text of its tags and the text of its annotations,
  /// which have no fields, are what to say. Valid until the next call, and while `span` and the
  /// resource are. Throws std::bad_alloc.
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
  std::deque<std::string> lines_;  // of annotations; the first `lines_used_` are this span's
  std::size_t lines_used_ = 0;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_MODEL_H
