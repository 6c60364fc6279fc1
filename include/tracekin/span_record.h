// SPDX-License-Identifier: Apache-2.0
// A finished span as plain data: what an encoder is given, and what a program that recorded a span
// elsewhere (read it from a trace, say) hands to Tracer::Report.
//
// All text is borrowed; who fills a record keeps the text alive until the call returns. Encoders are
// given valid UTF-8. Reuse one record for many spans: Clear() keeps the vectors' memory.
#ifndef TRACEKIN_SPAN_RECORD_H
#define TRACEKIN_SPAN_RECORD_H

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tracekin/export.h"

namespace tracekin {

enum class SpanKind : std::uint8_t { kLocal, kClient, kServer, kProducer, kConsumer };

/// "client", "server", "producer", "consumer", as OpenTracing's span.kind tag has them; "" for
/// kLocal.
TRACEKIN_API std::string_view SpanKindName(SpanKind kind);

/// The inverse; kLocal for any other text.
TRACEKIN_API SpanKind SpanKindFromName(std::string_view name);

/// Who took part in a span (Zipkin's Endpoint). Empty text and port 0 mean unknown.
struct Endpoint {
  std::string_view service_name;
  std::string_view ipv4;  // text, dotted
  std::string_view ipv6;  // text
  std::uint16_t port = 0;

  bool empty() const { return service_name.empty() && ipv4.empty() && ipv6.empty() && port == 0; }
};

struct SpanRecord {
  struct Tag {
    std::string_view key;
    std::string_view value;
  };
  struct Annotation {
    std::int64_t timestamp_ns;  // since the Unix epoch
    std::string_view text;
  };

  std::uint64_t trace_id_high = 0;  // 0: a 64-bit trace id
  std::uint64_t trace_id_low = 0;
  std::uint64_t span_id = 0;
  std::uint64_t parent_span_id = 0;  // 0: a root
  std::int64_t start_ns = 0;         // since the Unix epoch
  std::int64_t duration_ns = 0;      // negative: unknown, as of a later part of a span
  SpanKind kind = SpanKind::kLocal;
  bool debug = false;
  bool shared = false;  // of a server that goes by its client's ids; Zipkin knows no other
  std::string_view name;
  Endpoint local;
  Endpoint remote;
  std::vector<Tag> tags;  // keys are unique
  std::vector<Annotation> annotations;

  void Clear() {
    std::vector<Tag> kept_tags = std::move(tags);
    std::vector<Annotation> kept_annotations = std::move(annotations);
    kept_tags.clear();
    kept_annotations.clear();
    *this = SpanRecord{};
    tags = std::move(kept_tags);
    annotations = std::move(kept_annotations);
  }
};

}  // namespace tracekin

#endif  // TRACEKIN_SPAN_RECORD_H
