// SPDX-License-Identifier: Apache-2.0
// Defines the memory layout of a span between SetTag and the encoder. A span is one array of bytes.
// The application's threads write it in place (tracer/span_writer.h) and copy it into the queue
// once, and the sender thread reads it.
//
//   SpanHeader | entry | entry | ...        entry: EntryHeader | key | value | NUL
//
// Values are stored as text, and the header of the entry contains the type of the value. The value
// of a log entry begins with its timestamp (int64, ns since the Unix epoch). The fields of the log
// are the entries after it. The value of a link is a LinkBytes. An entry that was replaced stays in
// place, but is marked as dead. Text is stored as the application provided it and may not be valid
// UTF-8. Only the header is aligned, so entries are read with memcpy. The only copy of this layout
// outside of the process is in the spool (spool.h), whose format changes when this one does.
//
// The data that all spans of a tracer share is not stored in each span. It is stored separately, as
// an array of the same entries: kName contains the service name, and each tag of the tracer is a
// kTag.
#ifndef TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H
#define TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/valid_text.h"
#include "tracekin/span_record.h"

namespace tracekin::exporter {

/// The maximum size of one span. Data that does not fit is cut and counted.
constexpr std::uint32_t kMaxSpanBytes = 32768;

/// The tag whose value is the number of tags, logs and strings of a span that were cut or omitted.
constexpr std::string_view kTruncatedTag = "tracekin.truncated";

struct SpanHeader {
  std::uint32_t size;  // span size in bytes, including this header
  std::uint16_t name;  // offset of the name's entry
  bool random_trace_id;
  std::uint8_t unused;
  std::uint64_t trace_id_high;
  std::uint64_t trace_id_low;
  std::uint64_t span_id;
  std::uint64_t parent_span_id;
  std::int64_t start_ns;
  std::int64_t duration_ns;
  std::uint32_t truncated;  // number of tags, logs and strings that were cut or omitted
  SpanKind kind;
  bool debug;
  bool error;
  bool shared;
};

enum class EntryType : std::uint8_t {
  kDead,
  kName,
  kTag,
  kLog,
  kLocal,     // a field of the local endpoint if it differs from the tracer's; see SetEndpointField
  kRemote,    // a field of the remote endpoint
  kLogField,  // a field of the preceding log entry
  kLink,
  kTraceState,
};

/// The value of a link.
struct LinkBytes {
  std::uint64_t trace_id_high;
  std::uint64_t trace_id_low;
  std::uint64_t span_id;
  std::uint64_t type;  // SpanRecord::Link::Type
};

struct EntryHeader {
  EntryType type;
  ValueType value_type;
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

  // For log entries only:
  std::int64_t timestamp_ns() const {
    std::int64_t timestamp;
    std::memcpy(&timestamp, value().data(), sizeof timestamp);
    return timestamp;
  }
  std::string_view message() const { return value().substr(sizeof(std::int64_t)); }
};

/// Reads the entry that begins at `at`.
inline Entry ReadEntry(const char* at) {
  Entry entry;
  std::memcpy(&entry.header, at, sizeof entry.header);
  entry.text = at + sizeof entry.header;
  return entry;
}

/// Returns the size of the span that begins at `bytes`.
inline std::uint32_t SpanSize(const char* bytes) {
  std::uint32_t size;
  std::memcpy(&size, bytes + offsetof(SpanHeader, size), sizeof size);
  return size;
}

/// Returns the size of a span in a sequence of spans, including the padding that aligns the header
/// of the next span.
inline std::uint32_t AlignedSpanSize(std::uint32_t size) { return (size + 7U) & ~7U; }

/// Returns whether `bytes` are exactly one valid span. Bytes from outside the process may have any
/// content.
bool IsWellFormedSpan(std::string_view bytes) noexcept;

/// Returns whether `entries` are valid entries.
bool AreWellFormedEntries(std::string_view entries) noexcept;

/// Calls `visit(entry)` for each of `entries` in order, except for dead ones.
template <class Visitor>
void ForEachEntry(std::string_view entries, Visitor&& visit) {
  for (const char *at = entries.data(), *end = at + entries.size(); at < end;) {
    const Entry entry = ReadEntry(at);
    if (entry.header.type != EntryType::kDead) visit(entry);
    at += entry.header.size();
  }
}

/// Same as above, for the entries of the span of `size` bytes at `bytes`.
template <class Visitor>
void ForEachEntry(const char* bytes, std::uint32_t size, Visitor&& visit) {
  ForEachEntry({bytes + sizeof(SpanHeader), size - sizeof(SpanHeader)},
               std::forward<Visitor>(visit));
}

/// Returns `resource` as entries. Cuts keys to 1024 bytes. Throws std::bad_alloc.
std::string ResourceBytes(const Resource& resource);

/// Turns entries back into a resource whose text is valid UTF-8. Not synchronized.
class ResourceReader {
 public:
  /// The entries must outlive this object. Throws std::bad_alloc.
  explicit ResourceReader(std::string_view entries);
  ResourceReader(const ResourceReader&) = delete;
  ResourceReader& operator=(const ResourceReader&) = delete;

  const Resource& resource() const { return resource_; }

 private:
  ValidText valid_;
  Resource resource_;
};

/// Turns the bytes of spans into records whose text is valid UTF-8. Not synchronized.
class SpanDecoder {
 public:
  /// `service` is the name of the local endpoint unless a span sets its own. It is borrowed.
  explicit SpanDecoder(std::string_view service = {}) : service_(service) {}

  /// Returns the span as a record, which is valid until the next call as long as `bytes` are valid.
  /// Throws std::bad_alloc.
  const SpanRecord& Decode(const char* bytes);

 private:
  void TakeEntry(const Entry& entry);
  void TakeTag(const Entry& entry);
  void TakeLink(const Entry& entry);

  const std::string_view service_;
  SpanRecord record_;
  std::vector<SpanRecord::Tag> fields_;  // the fields of all annotations of the record
  ValidText valid_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H
