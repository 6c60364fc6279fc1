// SPDX-License-Identifier: Apache-2.0
// Encodes a list of Zipkin's v1 spans in Thrift's binary protocol for POST /api/v1/spans, which
// expects the list without the header of a Thrift call.
//
// Thread-safety: not synchronized. Owns a buffer that grows to the largest span encoded so far.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_thrift_span.h"

namespace tracekin::exporter {

class ZipkinThriftEncoder final : public Encoder {
 public:
  std::string_view content_type() const override { return "application/x-thrift"; }
  bool Takes(const SpanRecord& span) const override { return ZipkinThriftSpan::CanHold(span); }
  void Begin(const Resource& resource, std::string* body) override;
  void Add(const SpanRecord& span, std::string* body) override;
  void End(std::size_t spans, std::string* body) override;

 private:
  ZipkinThriftSpan span_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_THRIFT_ENCODER_H
