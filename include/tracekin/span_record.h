// SPDX-License-Identifier: Apache-2.0
// Describes a finished span as plain data. Encoders receive spans in this form. A program that
// recorded a span elsewhere, for example one that read it from a trace, passes this to
// Tracer::Report.
//
// The model does not belong to any collector. Each encoder translates it to the model of its
// collector; the encoders for Zipkin use exporter/encoding/zipkin_model.h.
//
// All text and all fields are borrowed. The caller that fills a record keeps them alive until the
// call returns. Encoders receive valid UTF-8 only. Reuse one record for many spans, because Clear()
// keeps the vectors' memory.
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

/// Returns "client", "server", "producer" or "consumer", which are the values of OpenTracing's tag
/// span.kind. Returns "" for kLocal.
TRACEKIN_API std::string_view SpanKindName(SpanKind kind);

/// Returns the kind that has this name, or kLocal for any other text. The inverse of SpanKindName.
TRACEKIN_API SpanKind SpanKindFromName(std::string_view name);

/// The type of a value that is stored as text.
enum class ValueType : std::uint8_t {
  kText,
  kBool,    // "true" or "false"
  kInt,     // a decimal number that fits into std::int64_t
  kDouble,  // a number in the format of std::to_chars, including "inf" and "nan"
  kJson,    // a list or an object (RFC 8259), or "null"
};

/// The outcome of the operation, or kUnset if the program did not set one.
enum class SpanStatus : std::uint8_t { kUnset, kOk, kError };

/// A participant of a span, like Zipkin's Endpoint. Empty text and port 0 mean unknown.
struct Endpoint {
  std::string_view service_name;
  std::string_view ipv4;  // dotted decimal text
  std::string_view ipv6;  // text form of RFC 4291, section 2.2
  std::uint16_t port = 0;

  bool empty() const { return service_name.empty() && ipv4.empty() && ipv6.empty() && port == 0; }
};

struct SpanRecord {
  struct Tag {
    std::string_view key;
    std::string_view value;
    ValueType type = ValueType::kText;
  };

  /// A borrowed array of tags.
  struct Fields {
    const Tag* first = nullptr;
    std::size_t count = 0;

    const Tag* begin() const { return first; }
    const Tag* end() const { return first + count; }
    bool empty() const { return count == 0; }
  };

  /// An event at one point in time: one entry of OpenTracing's Log().
  struct Annotation {
    std::int64_t timestamp_ns;  // ns since the Unix epoch
    std::string_view text;      // the value of OpenTracing's field `event`, or ""
    Fields fields = {};         // the other fields in their order; keys may repeat
  };

  /// A reference to another span besides the parent. OpenTracing allows several references.
  struct Link {
    enum class Type : std::uint8_t { kChildOf, kFollowsFrom };

    std::uint64_t trace_id_high = 0;
    std::uint64_t trace_id_low = 0;
    std::uint64_t span_id = 0;
    Type type = Type::kChildOf;
  };

  std::uint64_t trace_id_high = 0;  // 0: the trace id has 64 bits
  std::uint64_t trace_id_low = 0;
  std::uint64_t span_id = 0;
  std::uint64_t parent_span_id = 0;  // 0: a root span
  std::int64_t start_ns = 0;         // ns since the Unix epoch
  std::int64_t duration_ns = 0;      // negative: unknown, or already reported with an earlier part
  SpanKind kind = SpanKind::kLocal;
  bool debug = false;
  bool shared = false;           // a server span with the same ids as its client span (Zipkin)
  bool random_trace_id = false;  // W3C Trace Context Level 2: its last 7 bytes are random
  // A tag `error` also expresses the status, but is not required. Its value "false" means kOk, and
  // any other value means kError. A value other than "true" and "false" is the message.
  SpanStatus status = SpanStatus::kUnset;
  std::string_view status_message;
  std::string_view trace_state;  // W3C header tracestate, as received with the parent, or ""
  std::string_view name;
  Endpoint local;  // an empty service name stands for the service name of the resource
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

/// Describes the tracer that recorded the spans of one request body. The text is borrowed, like the
/// text of a record.
struct Resource {
  std::string_view service_name;
  std::vector<SpanRecord::Tag> tags;  // tags of each span that does not set the same key
};

}  // namespace tracekin

#endif  // TRACEKIN_SPAN_RECORD_H
