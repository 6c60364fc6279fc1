// SPDX-License-Identifier: Apache-2.0
// Zipkin's v2 spans as protocol buffers (zipkin.proto of openzipkin/zipkin-api, version 1.0.0,
// "ListOfSpans").
//
// Not synchronised. Owns a buffer that grows to the largest span seen.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_PROTO3_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_PROTO3_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_model.h"

namespace tracekin::exporter {

/// Says the same of a span as ZipkinJsonEncoder does. A trace id has 8 bytes when its high half is
/// 0, else 16. An address that is none is left out. A body without spans is empty; bodies may be
/// joined.
class ZipkinProto3Encoder final : public Encoder {
 public:
  std::string_view content_type() const override { return "application/x-protobuf"; }
  void Begin(const Resource& resource, std::string* /*body*/) override {
    model_.set_resource(&resource);
  }
  void Add(const SpanRecord& span, std::string* body) override;
  void End(std::size_t /*spans*/, std::string* /*body*/) override {}

 private:
  ZipkinModel model_;
  std::vector<char> buffer_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_PROTO3_ENCODER_H
