// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_json_encoder.h"

#include <endian.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "base/hex.h"

namespace tracekin::exporter {

namespace {

// Zipkin's server rejects a v2 body that contains these bytes anywhere, because it mistakes them
// for the end of the v1 key "binaryAnnotations".
constexpr std::string_view kV1Marker = "yAnnotations\"";

// Writes to a buffer that the caller has made large enough.
class Writer {
 public:
  Writer(char* begin, char* end, NonAscii non_ascii)
      : at_(begin), end_(end), non_ascii_(non_ascii) {}

  char* position() const { return at_; }

  template <std::size_t kSize>
  void Raw(const char (&literal)[kSize]) {
    std::memcpy(at_, literal, kSize - 1);
    at_ += kSize - 1;
  }

  void Raw(std::string_view text) { at_ += text.copy(at_, text.size()); }

  // Replaces the last character, which must be a comma, with `bracket`.
  void Close(char bracket) { at_[-1] = bracket; }

  void Hex(std::uint64_t id) { at_ = EncodeHex(id, at_); }

  void Number(std::int64_t number) { at_ = std::to_chars(at_, end_, number).ptr; }

  // Writes a time in microseconds. Times since 2001 have sixteen digits, and 64 bits of nanoseconds
  // cannot have more.
  void Time(std::int64_t ns) {
    const std::int64_t us = ns / 1000;
    if (us < 1'000'000'000'000'000) return Number(us);
    Decimal8(static_cast<std::uint32_t>(us / 100'000'000));
    Decimal8(static_cast<std::uint32_t>(us % 100'000'000));
  }

  void Text(std::string_view text) {
    at_ = WriteJsonString(text, at_, end_, non_ascii_);
    // Quotes inside a string are escaped, so only its end can match the marker.
    if (text.size() < kV1Marker.size() - 1 || at_[-2] != 's') return;
    if (std::memcmp(at_ - kV1Marker.size(), kV1Marker.data(), kV1Marker.size()) != 0) return;
    at_ -= 2;
    Raw("\\u0073\"");
  }

 private:
  // Writes eight digits at the same time. Splits the number in halves until each byte of a word
  // contains one digit, with the first digit in the lowest byte. Multiplies by 10486 / 2^20 and
  // 103 / 2^10 instead of dividing by 100 and 10, which is exact for the numbers that occur here.
  void Decimal8(std::uint32_t number) {
    std::uint64_t x = number / 10000 | static_cast<std::uint64_t>(number % 10000) << 32;
    const std::uint64_t hundreds = (x * 10486 >> 20) & 0x0000007F0000007F;
    x = hundreds | (x - hundreds * 100) << 16;
    const std::uint64_t tens = (x * 103 >> 10) & 0x000F000F000F000F;
    x = tens | (x - tens * 10) << 8;
    const std::uint64_t digits = htole64(x + 0x3030303030303030);
    std::memcpy(at_, &digits, sizeof digits);
    at_ += sizeof digits;
  }

  char* at_;
  char* const end_;
  const NonAscii non_ascii_;
};

std::string_view KindName(SpanKind kind) {
  switch (kind) {
    case SpanKind::kClient:
      return R"(,"kind":"CLIENT")";
    case SpanKind::kServer:
      return R"(,"kind":"SERVER")";
    case SpanKind::kProducer:
      return R"(,"kind":"PRODUCER")";
    case SpanKind::kConsumer:
      return R"(,"kind":"CONSUMER")";
    case SpanKind::kLocal:
      break;
  }
  return {};
}

void WriteIds(const SpanRecord& span, Writer* out) {
  out->Raw(R"({"traceId":")");
  if (span.trace_id_high != 0) out->Hex(span.trace_id_high);
  out->Hex(span.trace_id_low);
  if (span.parent_span_id != 0) {
    out->Raw(R"(","parentId":")");
    out->Hex(span.parent_span_id);
  }
  out->Raw(R"(","id":")");
  out->Hex(span.span_id);
  out->Raw("\"");
}

void WriteEndpoint(const Endpoint& endpoint, Writer* out) {
  out->Raw("{");
  if (!endpoint.service_name.empty()) {
    out->Raw(R"("serviceName":)");
    out->Text(endpoint.service_name);
    out->Raw(",");
  }
  if (!endpoint.ipv4.empty()) {
    out->Raw(R"("ipv4":)");
    out->Text(endpoint.ipv4);
    out->Raw(",");
  }
  if (!endpoint.ipv6.empty()) {
    out->Raw(R"("ipv6":)");
    out->Text(endpoint.ipv6);
    out->Raw(",");
  }
  if (endpoint.port != 0) {
    out->Raw(R"("port":)");
    out->Number(endpoint.port);
    out->Raw(",");
  }
  out->Close('}');
}

void WriteAnnotations(const std::vector<SpanRecord::Annotation>& annotations, Writer* out) {
  out->Raw(R"(,"annotations":[)");
  for (const SpanRecord::Annotation& annotation : annotations) {
    out->Raw(R"({"timestamp":)");
    out->Time(annotation.timestamp_ns);
    out->Raw(R"(,"value":)");
    out->Text(annotation.text);
    out->Raw("},");
  }
  out->Close(']');
}

void WriteTags(const std::vector<SpanRecord::Tag>& tags, Writer* out) {
  out->Raw(R"(,"tags":{)");
  for (const SpanRecord::Tag& tag : tags) {
    out->Text(tag.key);
    out->Raw(":");
    out->Text(tag.value);
    out->Raw(",");
  }
  out->Close('}');
}

void WriteSpan(const SpanRecord& span, Writer* out) {
  WriteIds(span, out);
  out->Raw(KindName(span.kind));
  if (!span.name.empty()) {
    out->Raw(R"(,"name":)");
    out->Text(span.name);
  }
  if (span.start_ns >= 1000) {  // Zipkin reads 0 as "unknown" and rejects times before the epoch
    out->Raw(R"(,"timestamp":)");
    out->Time(span.start_ns);
  }
  if (span.duration_ns >= 0) {
    out->Raw(R"(,"duration":)");
    out->Number(std::max<std::int64_t>(span.duration_ns / 1000, 1));
  }
  if (!span.local.empty()) {
    out->Raw(R"(,"localEndpoint":)");
    WriteEndpoint(span.local, out);
  }
  if (!span.remote.empty()) {
    out->Raw(R"(,"remoteEndpoint":)");
    WriteEndpoint(span.remote, out);
  }
  if (!span.annotations.empty()) WriteAnnotations(span.annotations, out);
  if (!span.tags.empty()) WriteTags(span.tags, out);
  if (span.debug) out->Raw(R"(,"debug":true)");
  if (span.shared) out->Raw(R"(,"shared":true)");
  out->Raw("}");
}

std::size_t MaxSize(const Endpoint& endpoint) {
  return MaxJsonStringSize(endpoint.service_name.size()) + MaxJsonStringSize(endpoint.ipv4.size()) +
         MaxJsonStringSize(endpoint.ipv6.size());
}

// Returns an upper limit for the number of bytes that WriteSpan writes.
std::size_t MaxSize(const SpanRecord& span) {
  constexpr std::size_t kKeysIdsAndNumbers = 512;
  constexpr std::size_t kAnnotation = sizeof(R"({"timestamp":-9223372036854775,"value":},)");
  constexpr std::size_t kTag = sizeof(":,");
  std::size_t size = kKeysIdsAndNumbers + MaxJsonStringSize(span.name.size()) +
                     MaxSize(span.local) + MaxSize(span.remote);
  for (const SpanRecord::Annotation& annotation : span.annotations) {
    size += kAnnotation + MaxJsonStringSize(annotation.text.size());
  }
  for (const SpanRecord::Tag& tag : span.tags) {
    size += kTag + MaxJsonStringSize(tag.key.size()) + MaxJsonStringSize(tag.value.size());
  }
  return size;
}

}  // namespace

std::string_view ZipkinJsonEncoder::content_type() const {
  return framing_ == Framing::kArray ? "application/json" : "application/x-ndjson";
}

void ZipkinJsonEncoder::Begin(const Resource& resource, std::string* body) {
  model_.set_resource(&resource);
  if (framing_ == Framing::kArray) body->push_back('[');
}

// Inlines all calls, because calls of small functions would dominate the cost of a span; see
// docs/performance.md.
[[gnu::flatten]] void ZipkinJsonEncoder::Add(const SpanRecord& record, std::string* body) {
  const SpanRecord& span = model_.Translate(record);
  const std::size_t needed = MaxSize(span);
  if (buffer_.size() < needed) buffer_.resize(needed);
  Writer writer(buffer_.data(), buffer_.data() + buffer_.size(), non_ascii_);
  WriteSpan(span, &writer);
  if (framing_ == Framing::kLines) {
    writer.Raw("\n");
  } else if (body->size() > 1) {
    body->push_back(',');
  }
  body->append(buffer_.data(), static_cast<std::size_t>(writer.position() - buffer_.data()));
}

void ZipkinJsonEncoder::End(std::size_t /*spans*/, std::string* body) {
  if (framing_ == Framing::kArray) body->push_back(']');
}

}  // namespace tracekin::exporter
