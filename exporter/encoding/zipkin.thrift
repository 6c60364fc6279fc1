// SPDX-License-Identifier: Apache-2.0
// The parts of Zipkin's v1 API and of Scribe that tracekin writes and reads, with the original
// names and numbers. They are from zipkinCore.thrift in openzipkin/zipkin-api and from
// scribe.thrift in facebookarchive/scribe.
namespace cpp tracekin.thrift

struct Endpoint {
  1: i32 ipv4            // as an integer; 0: unknown
  2: i16 port            // read as unsigned, 0: unknown
  3: string service_name // "": unknown
  4: optional binary ipv6 // 16 bytes
}

// An event. "cs" and "cr" mark the host as the client of the span, "sr" and "ss" as the server,
// "ms" as the producer, and "mr" as the consumer.
struct Annotation {
  1: i64 timestamp // microseconds since the Unix epoch
  2: string value
  3: optional Endpoint host
}

enum AnnotationType { BOOL, BYTES, I16, I32, I64, DOUBLE, STRING }

// A tag. If the key is "sa", "ca" or "ma" and the value is the BOOL true, `host` is the peer.
struct BinaryAnnotation {
  1: string key
  2: binary value
  3: AnnotationType annotation_type
  4: optional Endpoint host
}

struct Span {
  1: i64 trace_id
  3: string name
  4: i64 id
  5: optional i64 parent_id
  6: list<Annotation> annotations
  8: list<BinaryAnnotation> binary_annotations
  9: optional bool debug
  10: optional i64 timestamp // microseconds since the Unix epoch
  11: optional i64 duration  // microseconds
  12: optional i64 trace_id_high
}

enum ResultCode { OK, TRY_LATER }

struct LogEntry {
  1: string category
  2: string message
}

service Scribe {
  ResultCode Log(1: list<LogEntry> messages)
}
