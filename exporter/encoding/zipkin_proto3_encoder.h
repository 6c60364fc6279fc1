// SPDX-License-Identifier: Apache-2.0
// Encodes spans as Zipkin's v2 protocol buffers (zipkin.proto of openzipkin/zipkin-api, version
// 1.0.0, "ListOfSpans").
//
// Thread-safety: not synchronized. Owns a buffer that grows to the largest span encoded so far.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_PROTO3_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_PROTO3_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_model.h"

namespace tracekin::exporter {

/// Encodes the same content as ZipkinJsonEncoder. A trace id has 8 bytes if its high half is 0, and
/// 16 otherwise. Omits addresses that cannot be parsed. A body without spans is empty. Bodies may
/// be concatenated.
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
