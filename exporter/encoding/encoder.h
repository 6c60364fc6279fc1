// SPDX-License-Identifier: Apache-2.0
// The seam between span records and the body of a request.
//
// Used by the sender thread alone; not synchronised. An encoder may keep scratch memory between
// calls, nothing of a record.
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

  /// The body's media type, for a Content-Type header.
  virtual std::string_view content_type() const = 0;

  /// Whether collectors take a span with such ids. One that they do not take would have them refuse
  /// the whole body.
  virtual bool Takes(const SpanRecord& span) const {
    return span.span_id != 0 && (span.trace_id_low | span.trace_id_high) != 0;
  }

  // A body is made by Begin, then Add once a span, then End. All three append to, or patch, `body`,
  // which is empty at Begin. They may throw std::bad_alloc. `resource` is that of all the spans, and
  // stays as it is until after the last Add.
  virtual void Begin(const Resource& resource, std::string* body) = 0;
  virtual void Add(const SpanRecord& span, std::string* body) = 0;
  virtual void End(std::size_t spans, std::string* body) = 0;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ENCODER_H
