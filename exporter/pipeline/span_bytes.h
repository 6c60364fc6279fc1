// SPDX-License-Identifier: Apache-2.0
// How a span lies in memory between SetTag and the encoder: one flat run of bytes, written in place
// on the application's threads (tracer/span_writer.h), copied once into the queue, and read by the
// sender thread.
//
//   SpanHeader | entry | entry | ...        entry: EntryHeader | key | value | NUL
//
// Values are text already, and the entry's header says what the text stands for. The value of a log
// entry begins with its timestamp (int64, ns since the Unix epoch); the log's fields are the entries
// that follow it. A link's value is a LinkBytes. An entry that was overwritten stays, marked dead.
// Text is as the application gave it: not necessarily UTF-8. Nothing is aligned but the header;
// entries are read with memcpy. Outside of the process it is only in the spool (spool.h), whose
// format changes with this one.
//
// What all spans of a tracer have in common is not in each of them. It is a run of such entries
// beside them: kName has the service, and each tag of the tracer is a kTag.
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

/// The bound of one span's memory; what does not fit is cut and counted.
constexpr std::uint32_t kMaxSpanBytes = 32768;

/// The tag that tells how many tags, logs and texts of a span were cut or left out.
constexpr std::string_view kTruncatedTag = "tracekin.truncated";

struct SpanHeader {
  std::uint32_t size;  // of the whole span, this header included
  std::uint16_t name;  // offset of the name's entry
  bool random_trace_id;
  std::uint8_t unused;
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

enum class EntryType : std::uint8_t {
  kDead,
  kName,
  kTag,
  kLog,
  kLocal,     // a field of the local endpoint, where it is not the tracer's: see SetEndpointField
  kRemote,    // a field of the remote endpoint
  kLogField,  // of the log entry before it
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

/// The same of entries.
bool AreWellFormedEntries(std::string_view entries) noexcept;

/// Calls `visit(entry)` for each of `entries`, dead ones left out, in order.
template <class Visitor>
void ForEachEntry(std::string_view entries, Visitor&& visit) {
  for (const char *at = entries.data(), *end = at + entries.size(); at < end;) {
    const Entry entry = ReadEntry(at);
    if (entry.header.type != EntryType::kDead) visit(entry);
    at += entry.header.size();
  }
}

/// The same for the span of `size` bytes at `bytes`.
template <class Visitor>
void ForEachEntry(const char* bytes, std::uint32_t size, Visitor&& visit) {
  ForEachEntry({bytes + sizeof(SpanHeader), size - sizeof(SpanHeader)},
               std::forward<Visitor>(visit));
}

/// `resource` as entries. A key is cut to 1024 bytes. Throws std::bad_alloc.
std::string ResourceBytes(const Resource& resource);

/// A resource out of its entries, in valid UTF-8. Not synchronised.
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

/// Turns spans' bytes into records, whose text is valid UTF-8. Not synchronised.
class SpanDecoder {
 public:
  /// `service` is the local endpoint's name, unless a span has its own; borrowed.
  explicit SpanDecoder(std::string_view service = {}) : service_(service) {}

  /// The record is valid until the next call, and while `bytes` are. Throws std::bad_alloc.
  const SpanRecord& Decode(const char* bytes);

 private:
  void TakeEntry(const Entry& entry);
  void TakeTag(const Entry& entry);
  void TakeLink(const Entry& entry);

  const std::string_view service_;
  SpanRecord record_;
  std::vector<SpanRecord::Tag> fields_;  // of all annotations of the record
  ValidText valid_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_SPAN_BYTES_H
