// SPDX-License-Identifier: Apache-2.0
// The interface of the encoders, which turn span records into the body of a request.
//
// Thread-safety: not synchronized. Only the sender thread uses an encoder. An encoder may keep
// scratch memory between calls, but must not keep any reference to a record.
#ifndef TRACEKIN_EXPORTER_ENCODING_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin::exporter {

class Encoder {
 public:
  virtual ~Encoder() = default;

  /// Returns the body's media type for a Content-Type header.
  virtual std::string_view content_type() const = 0;

  /// Returns whether collectors accept a span with these ids. A collector rejects the whole body if
  /// it contains a span with ids that are not valid.
  virtual bool Takes(const SpanRecord& span) const {
    return span.span_id != 0 && (span.trace_id_low | span.trace_id_high) != 0;
  }

  // To make a body, call Begin, then Add once per span, then End. These functions append to `body`
  // or patch it. `body` is empty when Begin is called. The functions may throw std::bad_alloc.
  // `resource` applies to all spans of the body, and must not change until after the last Add.
  virtual void Begin(const Resource& resource, std::string* body) = 0;
  virtual void Add(const SpanRecord& span, std::string* body) = 0;
  virtual void End(std::size_t spans, std::string* body) = 0;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ENCODER_H
