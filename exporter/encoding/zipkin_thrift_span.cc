// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_thrift_span.h"

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TVirtualTransport.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/ip_address.h"
#include "exporter/encoding/zipkin_model.h"
#include "exporter/encoding/zipkin_types.h"

namespace tracekin::exporter {

namespace {

using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TVirtualTransport;
using thrift::AnnotationType;

// A transport for libthrift's protocols that writes to a buffer. Rewind makes it large enough.
class Memory : public TVirtualTransport<Memory> {
 public:
  void Rewind(std::size_t size) {
    if (bytes_.size() < size) bytes_.resize(size);
    at_ = bytes_.data();
  }
  std::string_view written() const {
    return {bytes_.data(), static_cast<std::size_t>(at_ - bytes_.data())};
  }

  void write(const std::uint8_t* bytes, std::uint32_t size) {
    std::memcpy(at_, bytes, size);
    at_ += size;
  }

 private:
  std::vector<char> bytes_;
  char* at_ = nullptr;
};

// The annotations and the address key by which Zipkin's v1 API expresses a kind. A field is "" if
// the API does not define it.
struct Vocabulary {
  std::string_view begin;
  std::string_view end;
  std::string_view remote;
};

Vocabulary WordsFor(SpanKind kind) {
  switch (kind) {
    case SpanKind::kClient:
      return {"cs", "cr", "sa"};
    case SpanKind::kServer:
      return {"sr", "ss", "ca"};
    case SpanKind::kProducer:
      return {"ms", "", "ma"};
    case SpanKind::kConsumer:
      return {"mr", "", "ma"};
    case SpanKind::kLocal:
      break;
  }
  return {"", "", "sa"};
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return text.size() == 2 && std::find(words.begin(), words.end(), text) != words.end();
}

// Strings that Zipkin would interpret as the kind of the span if the annotation had a host. Without
// a host, Zipkin keeps them as text.
bool IsCoreAnnotation(std::string_view text) {
  return IsOneOf(text, {"cs", "cr", "sr", "ss", "ms", "mr", "ws", "wr"});
}
bool IsAddressTag(std::string_view key) { return IsOneOf(key, {"sa", "ca", "ma"}); }

std::size_t MaxSize(const SpanRecord& span) {
  constexpr std::size_t kFields = 512;  // fields of the span, its kind and its endpoints
  constexpr std::size_t kItem = 128;    // fields of an annotation or a tag, and of its host
  const std::size_t host = kItem + span.local.service_name.size();
  std::size_t size = kFields + span.name.size() + 4 * host + span.remote.service_name.size();
  for (const SpanRecord::Annotation& annotation : span.annotations) {
    size += host + annotation.text.size();
  }
  for (const SpanRecord::Tag& tag : span.tags) size += host + tag.key.size() + tag.value.size();
  return size;
}

}  // namespace

class ZipkinThriftSpan::Output {
 public:
  Output() : memory_(std::make_shared<Memory>()), protocol_(memory_) {}

  void set_resource(const Resource* resource) { model_.set_resource(resource); }

  std::string_view Write(const SpanRecord& record) {
    const SpanRecord& span = model_.Translate(record);
    memory_->Rewind(MaxSize(span));
    WriteEndpoint(span.local);
    local_ = memory_->written();
    memory_->Rewind(0);
    WriteSpan(span);
    return memory_->written();
  }

 private:
  static constexpr std::int64_t kUnknown = -1;

  void WriteSpan(const SpanRecord& span) {
    const std::int64_t start_us = span.start_ns >= 1000 ? span.start_ns / 1000 : 0;
    const std::int64_t duration_us =
        span.duration_ns >= 0 ? std::max<std::int64_t>(span.duration_ns / 1000, 1) : kUnknown;
    Id(1, span.trace_id_low);
    Text(3, span.name);
    Id(4, span.span_id);
    if (span.parent_span_id != 0) Id(5, span.parent_span_id);
    const Vocabulary words = WordsFor(span.kind);
    const bool has_host = WriteAnnotations(span, words, start_us, duration_us);
    WriteBinaryAnnotations(span, words, has_host);
    if (span.debug) Bool(9, true);
    // Zipkin reads a start of 0 as "unknown" and rejects times before the epoch. In the v1 API, a
    // server span is shared if it has the annotations sr and ss but no timestamp and no duration.
    const bool shared = span.shared && span.kind == SpanKind::kServer && start_us != 0;
    if (start_us != 0 && !shared) I64(10, start_us);
    if (!shared && duration_us != kUnknown) I64(11, duration_us);
    if (span.trace_id_high != 0) Id(12, span.trace_id_high);
    Stop();
  }

  // Returns whether one of the annotations contains the local endpoint.
  bool WriteAnnotations(const SpanRecord& span, const Vocabulary& words, std::int64_t start_us,
                        std::int64_t duration_us) {
    const bool begins = start_us != 0 && !words.begin.empty();
    const bool ends = start_us != 0 && duration_us != kUnknown && !words.end.empty();
    bool has_host = begins;
    List(6, span.annotations.size() + begins + ends);
    // An annotation that expresses the kind needs a host, even if the local endpoint is unknown.
    if (begins) WriteAnnotation(start_us, words.begin, true);
    for (const SpanRecord::Annotation& annotation : span.annotations) {
      const bool hosted = !span.local.empty() && !IsCoreAnnotation(annotation.text);
      has_host |= hosted;
      WriteAnnotation(annotation.timestamp_ns / 1000, annotation.text, hosted);
    }
    if (ends) WriteAnnotation(start_us + duration_us, words.end, true);
    return has_host;
  }

  void WriteAnnotation(std::int64_t timestamp_us, std::string_view text, bool hosted) {
    I64(1, timestamp_us);
    Text(2, text);
    if (hosted) WriteLocal(3);
    Stop();
  }

  void WriteBinaryAnnotations(const SpanRecord& span, const Vocabulary& words, bool has_host) {
    const bool local = !span.local.empty();
    const auto hosted = [local](const SpanRecord::Tag& tag) {
      return local && !IsAddressTag(tag.key);
    };
    const bool needs_marker =
        local && !has_host && std::none_of(span.tags.begin(), span.tags.end(), hosted);
    const bool has_remote = !span.remote.empty();
    List(8, span.tags.size() + needs_marker + has_remote);
    for (const SpanRecord::Tag& tag : span.tags) {
      WriteBinaryAnnotation(tag.key, tag.value, AnnotationType::STRING);
      if (hosted(tag)) WriteLocal(4);
      Stop();
    }
    if (needs_marker) {
      WriteBinaryAnnotation("lc", "", AnnotationType::STRING);
      WriteLocal(4);
      Stop();
    }
    if (has_remote) {  // written last, because Zipkin uses the last annotation with this key
      WriteBinaryAnnotation(words.remote, "\x01", AnnotationType::BOOL);
      Field(TType::T_STRUCT, 4);
      WriteEndpoint(span.remote);
      Stop();
    }
  }

  // Writes the fields except for the host and the end of the struct.
  void WriteBinaryAnnotation(std::string_view key, std::string_view value,
                             AnnotationType::type type) {
    Text(1, key);
    Text(2, value);
    I32(3, type);
  }

  void WriteLocal(std::int16_t id) {
    Field(TType::T_STRUCT, id);
    memory_->write(reinterpret_cast<const std::uint8_t*>(local_.data()),
                   static_cast<std::uint32_t>(local_.size()));
  }

  void WriteEndpoint(const Endpoint& endpoint) {
    const Addresses addresses(endpoint);
    I32(1, static_cast<std::int32_t>(ntohl(addresses.ipv4.s_addr)));  // 0: unknown
    Field(TType::T_I16, 2);
    protocol_.writeI16(static_cast<std::int16_t>(endpoint.port));
    Text(3, endpoint.service_name);
    if (addresses.has_ipv6) {
      Text(4, {reinterpret_cast<const char*>(&addresses.ipv6), sizeof addresses.ipv6});
    }
    Stop();
  }

  void Field(TType type, std::int16_t id) { protocol_.writeFieldBegin("", type, id); }
  void Stop() { protocol_.writeFieldStop(); }

  void Bool(std::int16_t id, bool value) {
    Field(TType::T_BOOL, id);
    protocol_.writeBool(value);
  }
  void I32(std::int16_t id, std::int32_t value) {
    Field(TType::T_I32, id);
    protocol_.writeI32(value);
  }
  void I64(std::int16_t id, std::int64_t value) {
    Field(TType::T_I64, id);
    protocol_.writeI64(value);
  }
  void Id(std::int16_t id, std::uint64_t value) { I64(id, static_cast<std::int64_t>(value)); }
  void Text(std::int16_t id, std::string_view text) {
    Field(TType::T_STRING, id);
    protocol_.writeString(text);
  }
  void List(std::int16_t id, std::size_t size) {
    Field(TType::T_LIST, id);
    protocol_.writeListBegin(TType::T_STRUCT, static_cast<std::uint32_t>(size));
  }

  ZipkinModel model_;
  std::shared_ptr<Memory> memory_;
  TBinaryProtocolT<Memory> protocol_;
  std::string local_;  // the encoded local endpoint, which most annotations and tags contain
};

ZipkinThriftSpan::ZipkinThriftSpan() : output_(std::make_unique<Output>()) {}
ZipkinThriftSpan::~ZipkinThriftSpan() = default;

void ZipkinThriftSpan::set_resource(const Resource* resource) { output_->set_resource(resource); }

std::string_view ZipkinThriftSpan::Write(const SpanRecord& span) { return output_->Write(span); }

}  // namespace tracekin::exporter
