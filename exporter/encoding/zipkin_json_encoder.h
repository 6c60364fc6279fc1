// SPDX-License-Identifier: Apache-2.0
// Encodes spans as Zipkin's v2 JSON (zipkin2-api.yaml of openzipkin/zipkin-api, version 1.0.0,
// "Span").
//
// Thread-safety: not synchronized. Owns a buffer that grows to the largest span encoded so far.
#ifndef TRACEKIN_EXPORTER_ENCODING_ZIPKIN_JSON_ENCODER_H
#define TRACEKIN_EXPORTER_ENCODING_ZIPKIN_JSON_ENCODER_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_model.h"

namespace tracekin::exporter {

/// Rounds times down to microseconds. Writes a duration of less than one microsecond as one,
/// because Zipkin reads 0 as "unknown". Writes ids as lower-case hex digits of fixed width. A trace
/// id has 16 digits if its high half is 0, and 32 otherwise.
/// REQUIRES: the trace id and the span id of a record are not 0. Otherwise the server would reject
/// the whole batch.
class ZipkinJsonEncoder final : public Encoder {
 public:
  enum class Framing {
    kArray,  // one JSON array, for POST /api/v2/spans
    kLines,  // one JSON object per line (application/x-ndjson), for files
  };

  explicit ZipkinJsonEncoder(Framing framing, NonAscii non_ascii = NonAscii::kKeep)
      : framing_(framing), non_ascii_(non_ascii) {}

  std::string_view content_type() const override;
  void Begin(const Resource& resource, std::string* body) override;
  void Add(const SpanRecord& span, std::string* body) override;
  void End(std::size_t spans, std::string* body) override;

 private:
  const Framing framing_;
  const NonAscii non_ascii_;
  ZipkinModel model_;
  std::vector<char> buffer_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_ENCODING_ZIPKIN_JSON_ENCODER_H
