// SPDX-License-Identifier: Apache-2.0
// Zipkin's spans as Scribe takes them: the arguments of its call Log (zipkin.thrift) in Thrift's
// binary protocol, a list of log entries that each hold one span, as Base64 (RFC 4648, section 4) of
// its struct.
//
// Not synchronised. Owns a buffer that grows to the largest span seen.
#ifndef TRACEKIN_EXPORTER_ENCODING_SCRIBE_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_SCRIBE_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_thrift_span.h"

namespace tracekin::exporter {

/// A body lacks what a transport knows: the call's header and the frame.
class ScribeEncoder final : public Encoder {
 public:
  /// `category` is that of all entries; Zipkin's collector looks at "zipkin".
  explicit ScribeEncoder(std::string_view category);

  std::string_view content_type() const override { return "application/x-thrift"; }
  bool Takes(const SpanRecord& span) const override { return ZipkinThriftSpan::CanHold(span); }
  void Begin(const Resource& resource, std::string* body) override;
  void Add(const SpanRecord& span, std::string* body) override;
  void End(std::size_t spans, std::string* body) override;

 private:
  const std::string entry_begin_;  // up to the message's length
  ZipkinThriftSpan span_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_SCRIBE_ENCODER_H
