// SPDX-License-Identifier: Apache-2.0
// Encodes spans for Scribe, as the arguments of its call Log (zipkin.thrift) in Thrift's binary
// protocol. The arguments are a list of log entries. Each entry contains one span: its Thrift
// struct in Base64 (RFC 4648, section 4).
//
// Thread-safety: not synchronized. Owns a buffer that grows to the largest span encoded so far.
#ifndef TRACEKIN_EXPORTER_ENCODING_SCRIBE_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_SCRIBE_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_thrift_span.h"

namespace tracekin::exporter {

/// The body does not contain the header of the call and the frame. The transport adds them.
class ScribeEncoder final : public Encoder {
 public:
  /// Sets the category of all entries. Zipkin's collector reads only the category "zipkin".
  explicit ScribeEncoder(std::string_view category);

  std::string_view content_type() const override { return "application/x-thrift"; }
  bool Takes(const SpanRecord& span) const override { return ZipkinThriftSpan::CanHold(span); }
  void Begin(const Resource& resource, std::string* body) override;
  void Add(const SpanRecord& span, std::string* body) override;
  void End(std::size_t spans, std::string* body) override;

 private:
  const std::string entry_begin_;  // the bytes of an entry before the length of its message
  ZipkinThriftSpan span_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_SCRIBE_ENCODER_H
