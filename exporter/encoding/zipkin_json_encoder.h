// SPDX-License-Identifier: Apache-2.0
// Zipkin's v2 JSON (zipkin2-api.yaml of openzipkin/zipkin-api, version 1.0.0, "Span").
//
// Not synchronised. Owns a buffer that grows to the largest span seen.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_JSON_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_JSON_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_model.h"

namespace tracekin::exporter {

/// Times are rounded down to microseconds; a duration below one is written as one, for Zipkin takes
/// 0 as "unknown". Ids are lower-case hex of fixed width, and a trace id has 16 digits when its
/// high half is 0. REQUIRES of a record: trace id and span id are not 0 (the server would reject
/// the whole batch).
class ZipkinJsonEncoder final : public Encoder {
 public:
  enum class Framing {
    kArray,  // one JSON array, as POST /api/v2/spans takes it
    kLines,  // one JSON object a line (application/x-ndjson), for files that are appended to
  };

  explicit ZipkinJsonEncoder(Framing framing) : framing_(framing) {}

  std::string_view content_type() const override;
  void Begin(const Resource& resource, std::string* body) override;
  void Add(const SpanRecord& span, std::string* body) override;
  void End(std::size_t spans, std::string* body) override;

 private:
  const Framing framing_;
  ZipkinModel model_;
  std::vector<char> buffer_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_JSON_ENCODER_H
