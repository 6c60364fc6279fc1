// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_proto3_encoder.h"

#include <endian.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/ip_address.h"

namespace tracekin::exporter {

namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kLength = 2 };

// Fills a buffer, which the caller has made large enough, from its end to its beginning. The length
// of a message precedes it, but is known only after the message has been written. Therefore the
// fields are written from last to first.
class Writer {
 public:
  explicit Writer(char* end) : at_(end) {}

  char* position() const { return at_; }

  void Varint(int field, std::uint64_t number) {
    Number(number);
    Key(field, kVarint);
  }

  void Fixed64(int field, std::uint64_t number) {
    Word(htole64(number));
    Key(field, kFixed64);
  }

  void Bytes(int field, std::string_view bytes) {
    at_ -= bytes.size();
    bytes.copy(at_, bytes.size());
    Length(field, bytes.size());
  }

  // Writes an id of eight bytes, or of sixteen if the high half is not 0.
  void Id(int field, std::uint64_t low, std::uint64_t high = 0) {
    Word(htobe64(low));
    if (high != 0) Word(htobe64(high));
    Length(field, high != 0 ? 16 : 8);
  }

  template <class WriteFields>
  void Message(int field, WriteFields&& write_fields) {
    const char* const end = at_;
    write_fields();
    Length(field, static_cast<std::size_t>(end - at_));
  }

 private:
  void Word(std::uint64_t bytes) {
    at_ -= sizeof bytes;
    std::memcpy(at_, &bytes, sizeof bytes);
  }

  void Length(int field, std::size_t size) {
    Number(size);
    Key(field, kLength);
  }

  void Key(int field, WireType type) { *--at_ = static_cast<char>(field << 3 | type); }

  void Number(std::uint64_t number) {
    if (number < 0x80) {
      *--at_ = static_cast<char>(number);
      return;
    }
    at_ -= (70 - __builtin_clzll(number)) / 7;  // seven bits per byte, rounded up
    char* out = at_;
    for (; number >= 0x80; number >>= 7) *out++ = static_cast<char>(number | 0x80);
    *out = static_cast<char>(number);
  }

  char* at_;
};

template <class Address>
std::string_view Bytes(const Address& address) {
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

void WriteEndpoint(int field, const Endpoint& endpoint, Writer* out) {
  if (endpoint.empty()) return;
  const Addresses addresses(endpoint);
  out->Message(field, [&] {
    if (endpoint.port != 0) out->Varint(4, endpoint.port);
    if (addresses.has_ipv6) out->Bytes(3, Bytes(addresses.ipv6));
    if (addresses.has_ipv4) out->Bytes(2, Bytes(addresses.ipv4));
    if (!endpoint.service_name.empty()) out->Bytes(1, endpoint.service_name);
  });
}

void WriteSpan(const SpanRecord& span, Writer* out) {
  out->Message(1, [&] {
    if (span.shared) out->Varint(13, 1);
    if (span.debug) out->Varint(12, 1);
    for (auto tag = span.tags.rbegin(); tag != span.tags.rend(); ++tag) {
      out->Message(11, [&] {
        out->Bytes(2, tag->value);
        out->Bytes(1, tag->key);
      });
    }
    for (auto annotation = span.annotations.rbegin(); annotation != span.annotations.rend();
         ++annotation) {
      out->Message(10, [&] {
        out->Bytes(2, annotation->text);
        out->Fixed64(1, static_cast<std::uint64_t>(annotation->timestamp_ns / 1000));
      });
    }
    WriteEndpoint(9, span.remote, out);
    WriteEndpoint(8, span.local, out);
    if (span.duration_ns >= 0) {
      out->Varint(7,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(span.duration_ns / 1000, 1)));
    }
    if (span.start_ns >= 1000) {  // Zipkin reads 0 as "unknown" and rejects times before the epoch
      out->Fixed64(6, static_cast<std::uint64_t>(span.start_ns / 1000));
    }
    if (!span.name.empty()) out->Bytes(5, span.name);
    // SpanKind has the same numbers as the enum in zipkin.proto.
    if (span.kind != SpanKind::kLocal) out->Varint(4, static_cast<std::uint64_t>(span.kind));
    out->Id(3, span.span_id);
    if (span.parent_span_id != 0) out->Id(2, span.parent_span_id);
    out->Id(1, span.trace_id_low, span.trace_id_high);
  });
}

// Returns an upper limit for the number of bytes that WriteSpan writes.
std::size_t MaxSize(const SpanRecord& span) {
  constexpr std::size_t kKeysIdsAndNumbers = 256;
  constexpr std::size_t kTexts = 32;  // field keys, lengths and time of a tag or an annotation
  std::size_t size = kKeysIdsAndNumbers + span.name.size() + span.local.service_name.size() +
                     span.remote.service_name.size();
  for (const SpanRecord::Annotation& annotation : span.annotations) {
    size += kTexts + annotation.text.size();
  }
  for (const SpanRecord::Tag& tag : span.tags) size += kTexts + tag.key.size() + tag.value.size();
  return size;
}

}  // namespace

// Inlines all calls, because calls of small functions would dominate the cost of a span; see
// docs/performance.md.
[[gnu::flatten]] void ZipkinProto3Encoder::Add(const SpanRecord& record, std::string* body) {
  const SpanRecord& span = model_.Translate(record);
  const std::size_t needed = MaxSize(span);
  if (buffer_.size() < needed) buffer_.resize(needed);
  char* const end = buffer_.data() + buffer_.size();
  Writer writer(end);
  WriteSpan(span, &writer);
  body->append(writer.position(), static_cast<std::size_t>(end - writer.position()));
}

}  // namespace tracekin::exporter
