// SPDX-License-Identifier: Apache-2.0
// A finished span as plain data: what an encoder is given, and what a program that recorded a span
// elsewhere (read it from a trace, say) hands to Tracer::Report.
//
// The model is no collector's: each encoder translates it to what its collector understands
// (Zipkin's do that in exporter/encoding/zipkin_model.h).
//
// All text and all fields are borrowed: whoever fills a record keeps them alive until the call
// returns. Encoders are given valid UTF-8. Reuse one record for many spans: Clear() keeps the
// vectors' memory.
#ifndef TRACEKIN_SPAN_RECORD_H
#define TRACEKIN_SPAN_RECORD_H

#include <cstddef>
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

/// What the text of a value stands for.
enum class ValueType : std::uint8_t {
  kText,
  kBool,    // "true" or "false"
  kInt,     // a decimal number that fits into std::int64_t
  kDouble,  // as std::to_chars writes it, "inf" and "nan" included
  kJson,    // a list or an object (RFC 8259), or "null"
};

/// How a span ended, if somebody said so.
enum class SpanStatus : std::uint8_t { kUnset, kOk, kError };

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
    ValueType type = ValueType::kText;
  };

  /// A run of tags that somebody else owns.
  struct Fields {
    const Tag* first = nullptr;
    std::size_t count = 0;

    const Tag* begin() const { return first; }
    const Tag* end() const { return first + count; }
    bool empty() const { return count == 0; }
  };

  /// What happened at one moment: an entry of OpenTracing's Log().
  struct Annotation {
    std::int64_t timestamp_ns;  // since the Unix epoch
    std::string_view text;      // OpenTracing's field `event`, or ""
    Fields fields = {};         // the other fields, in their order; keys need not be unique
  };

  /// A span that this one refers to, beside its parent: OpenTracing's further references.
  struct Link {
    enum class Type : std::uint8_t { kChildOf, kFollowsFrom };

    std::uint64_t trace_id_high = 0;
    std::uint64_t trace_id_low = 0;
    std::uint64_t span_id = 0;
    Type type = Type::kChildOf;
  };

  std::uint64_t trace_id_high = 0;  // 0: a 64-bit trace id
  std::uint64_t trace_id_low = 0;
  std::uint64_t span_id = 0;
  std::uint64_t parent_span_id = 0;  // 0: a root
  std::int64_t start_ns = 0;         // since the Unix epoch
  std::int64_t duration_ns = 0;      // negative: unknown, as of a later part of a span
  SpanKind kind = SpanKind::kLocal;
  bool debug = false;
  bool shared = false;           // of a server that goes by its client's ids; Zipkin knows no other
  bool random_trace_id = false;  // W3C Trace Context Level 2: its last 7 bytes are random
  // A tag `error` says the same and need not be there: "false" means kOk, anything else kError, and
  // text that is not "true" is the message.
  SpanStatus status = SpanStatus::kUnset;
  std::string_view status_message;
  std::string_view trace_state;  // W3C's header tracestate, as it came with the parent; or ""
  std::string_view name;
  Endpoint local;  // an empty service name means the resource's
  Endpoint remote;
  std::vector<Tag> tags;  // keys are unique
  std::vector<Annotation> annotations;
  std::vector<Link> links;

  void Clear() {
    SpanRecord empty;
    empty.tags.swap(tags);
    empty.annotations.swap(annotations);
    empty.links.swap(links);
    empty.tags.clear();
    empty.annotations.clear();
    empty.links.clear();
    *this = std::move(empty);
  }
};

/// Who recorded the spans of one request's body: a tracer. Text is borrowed, as a record's is.
struct Resource {
  std::string_view service_name;
  std::vector<SpanRecord::Tag> tags;  // of all its spans, unless one has a tag of the same key
};

}  // namespace tracekin

#endif  // TRACEKIN_SPAN_RECORD_H
