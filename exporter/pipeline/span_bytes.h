// SPDX-License-Identifier: Apache-2.0
// How a span lies in memory between SetTag and the encoder: one flat run of bytes, written in place
// on the application's threads (tracer/span_writer.h), copied once into the queue, and read by the
// exporter thread.
//
//   SpanHeader | entry | entry | ...        entry: EntryHeader | key | value | NUL
//
// Values are text already; the value of a log entry begins with its timestamp (int64, ns since the
// Unix epoch). An entry that was overwritten stays, marked dead. Text is as the application gave
// it: not necessarily UTF-8. Nothing is aligned but the header; entries are read with memcpy. Outside
// of the process it is only in the spool (spool.h), whose format changes with this one.
#ifndef TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H
#define TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include "tracekin/span_record.h"

namespace tracekin {

/// The bound of one span's memory; what does not fit is cut and counted.
constexpr std::uint32_t kMaxSpanBytes = 32768;

/// The tag that tells how many tags, logs and texts of a span were cut or left out.
constexpr std::string_view kTruncatedTag = "tracekin.truncated";

struct SpanHeader {
  std::uint32_t size;  // of the whole span, this header included
  std::uint32_t name;  // offset of the name's entry
  std::uint64_t trace_id_high;
  std::uint64_t trace_id_low;
  std::uint64_t span_id;
  std::uint64_t parent_span_id;
  std::int64_t start_ns;
  std::int64_t duration_ns;
  std::uint32_t truncated;  // tags, logs and texts that were cut or left out
  SpanKind kind;
  bool debug;
  bool error;
  bool shared;
};

/// kLocal: a field of the local endpoint, where it is not the tracer's; its key is service, ipv4, ipv6
/// or port.
enum class EntryType : std::uint8_t { kDead, kName, kTag, kLog, kLocal };

struct EntryHeader {
  EntryType type;
  std::uint16_t key_size;
  std::uint32_t value_size;

  std::size_t size() const { return sizeof(EntryHeader) + key_size + value_size + 1; }
};

/// One entry of a span, borrowed from its bytes.
struct Entry {
  EntryHeader header;
  const char* text;  // the key, directly followed by the value and a NUL

  std::string_view key() const { return {text, header.key_size}; }
  std::string_view value() const { return {text + header.key_size, header.value_size}; }

  // Of log entries:
  std::int64_t timestamp_ns() const {
    std::int64_t timestamp;
    std::memcpy(&timestamp, value().data(), sizeof timestamp);
    return timestamp;
  }
  std::string_view message() const { return value().substr(sizeof(std::int64_t)); }
};

inline Entry ReadEntry(const char* at) {
  Entry entry;
  std::memcpy(&entry.header, at, sizeof entry.header);
  entry.text = at + sizeof entry.header;
  return entry;
}

/// The size of the span that begins at `bytes`.
inline std::uint32_t SpanSize(const char* bytes) {
  std::uint32_t size;
  std::memcpy(&size, bytes + offsetof(SpanHeader, size), sizeof size);
  return size;
}

/// What a span takes where several follow each other: the next one's header is aligned.
inline std::uint32_t AlignedSpanSize(std::uint32_t size) { return (size + 7U) & ~7U; }

/// Whether `bytes` are one span: what comes from outside the process may be anything.
bool IsWellFormedSpan(std::string_view bytes) noexcept;

/// Calls `visit(entry)` for each entry of the span at `bytes`, dead ones left out, in order.
template <class Visitor>
void ForEachEntry(const char* bytes, std::uint32_t size, Visitor&& visit) {
  for (const char *at = bytes + sizeof(SpanHeader), *end = bytes + size; at < end;) {
    const Entry entry = ReadEntry(at);
    if (entry.header.type != EntryType::kDead) visit(entry);
    at += entry.header.size();
  }
}

/// Turns spans' bytes into records: text is made valid UTF-8, and the tags that OpenTracing's
/// semantic conventions give a meaning find their place in Zipkin's model: peer.service, peer.ipv4,
/// peer.ipv6 and peer.port become the remote endpoint, unless their value is none; error=false goes,
/// for Zipkin takes any error tag as a failure. Not synchronised.
class SpanDecoder {
 public:
  /// `service` is the local endpoint's name; borrowed.
  explicit SpanDecoder(std::string_view service) : service_(service) {}

  /// The record is valid until the next call, and while `bytes` are. Throws std::bad_alloc.
  const SpanRecord& Decode(const char* bytes);

 private:
  std::string_view Valid(std::string_view text);
  void TakeTag(std::string_view key, std::string_view value);
  bool TakeEndpoint(std::string_view what, std::string_view value, Endpoint* endpoint);

  std::string_view service_;
  SpanRecord record_;
  std::string changed_;              // Sanitize's
  std::deque<std::string> scratch_;  // owns text that had to be changed
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H
