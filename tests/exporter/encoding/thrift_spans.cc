// SPDX-License-Identifier: Apache-2.0
#include "tests/exporter/encoding/thrift_spans.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <thrift/protocol/TBase64Utils.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

namespace tracekin {

namespace {

using apache::thrift::protocol::TBinaryProtocol;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TMemoryBuffer;

class Reader {
 public:
  explicit Reader(const std::string& bytes)
      : memory_(std::make_shared<TMemoryBuffer>()), protocol_(memory_) {
    memory_->resetBuffer(reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data())),
                         static_cast<std::uint32_t>(bytes.size()), TMemoryBuffer::COPY);
  }
  ~Reader() { EXPECT_EQ(memory_->available_read(), 0u); }
  TBinaryProtocol* protocol() { return &protocol_; }

 private:
  std::shared_ptr<TMemoryBuffer> memory_;
  TBinaryProtocol protocol_;
};

void ExpectHost(const thrift::Endpoint& host, const Endpoint& endpoint) {
  struct in_addr ipv4 = {};
  inet_pton(AF_INET, std::string(endpoint.ipv4).c_str(), &ipv4);
  char ipv6[16];
  bool has_ipv6 = inet_pton(AF_INET6, std::string(endpoint.ipv6).c_str(), ipv6) == 1;
  if (endpoint.ipv6.substr(0, 7) == "::ffff:") {  // an IPv4 address
    has_ipv6 = false;
    std::memcpy(&ipv4, ipv6 + 12, sizeof ipv4);
  }
  EXPECT_EQ(static_cast<std::uint32_t>(host.ipv4), ntohl(ipv4.s_addr));
  EXPECT_EQ(host.__isset.ipv6, has_ipv6);
  EXPECT_EQ(host.ipv6, has_ipv6 ? std::string(ipv6, 16) : "");
  EXPECT_EQ(static_cast<std::uint16_t>(host.port), endpoint.port);
  EXPECT_EQ(host.service_name, endpoint.service_name);
}

// Removes the annotation `value` if it has a host, and returns its time.
std::optional<std::int64_t> TakeCore(std::vector<thrift::Annotation>* annotations,
                                     std::string_view value, const Endpoint& local) {
  const auto found =
      std::find_if(annotations->begin(), annotations->end(), [value](const auto& annotation) {
        return annotation.__isset.host && annotation.value == value;
      });
  if (found == annotations->end()) return std::nullopt;
  ExpectHost(found->host, local);
  const std::int64_t timestamp = found->timestamp;
  annotations->erase(found);
  return timestamp;
}

void ExpectAnnotations(std::vector<thrift::Annotation> annotations, const SpanRecord& span) {
  const std::int64_t start = span.start_ns / 1000;
  const std::int64_t end = start + std::max<std::int64_t>(span.duration_ns / 1000, 1);
  const struct {
    const char* value;
    SpanKind kind;
    std::int64_t timestamp;
  } cores[] = {{"cs", SpanKind::kClient, start},   {"cr", SpanKind::kClient, end},
               {"sr", SpanKind::kServer, start},   {"ss", SpanKind::kServer, end},
               {"ms", SpanKind::kProducer, start}, {"mr", SpanKind::kConsumer, start}};
  for (const auto& core : cores) {
    const std::optional<std::int64_t> timestamp = TakeCore(&annotations, core.value, span.local);
    const bool known = core.timestamp == start || span.duration_ns >= 0;
    EXPECT_EQ(timestamp.has_value(), core.kind == span.kind && known) << core.value;
    if (timestamp) {
      EXPECT_EQ(*timestamp, core.timestamp) << core.value;
    }
  }
  ASSERT_EQ(annotations.size(), span.annotations.size());
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    EXPECT_EQ(annotations[i].timestamp, span.annotations[i].timestamp_ns / 1000);
    EXPECT_EQ(annotations[i].value, span.annotations[i].text);
    if (annotations[i].__isset.host) ExpectHost(annotations[i].host, span.local);
  }
}

void ExpectBinaryAnnotations(std::vector<thrift::BinaryAnnotation> list, const SpanRecord& span) {
  const auto is_address = [](const auto& item) {
    return item.annotation_type == thrift::AnnotationType::BOOL;
  };
  const auto address = std::find_if(list.begin(), list.end(), is_address);
  ASSERT_EQ(address != list.end(), !span.remote.empty());
  if (address != list.end()) {
    const bool messaging = span.kind == SpanKind::kProducer || span.kind == SpanKind::kConsumer;
    EXPECT_EQ(address->key, messaging ? "ma" : span.kind == SpanKind::kServer ? "ca" : "sa");
    EXPECT_EQ(address->value, "\x01");
    ExpectHost(address->host, span.remote);
    list.erase(address);
  }
  if (list.size() == 1 && list[0].key == "lc" && list[0].value.empty()) {
    EXPECT_EQ(list[0].annotation_type, thrift::AnnotationType::STRING);
    ExpectHost(list[0].host, span.local);
    list.clear();
  }
  ASSERT_EQ(list.size(), span.tags.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].key, span.tags[i].key);
    EXPECT_EQ(list[i].value, span.tags[i].value);
    EXPECT_EQ(list[i].annotation_type, thrift::AnnotationType::STRING);
    if (list[i].__isset.host) ExpectHost(list[i].host, span.local);
  }
}

bool TellsTheLocalEndpoint(const thrift::Span& span) {
  const auto has_host = [](const auto& item) { return item.__isset.host; };
  return std::any_of(span.annotations.begin(), span.annotations.end(), has_host) ||
         std::any_of(span.binary_annotations.begin(), span.binary_annotations.end(),
                     [](const thrift::BinaryAnnotation& item) {
                       return item.__isset.host &&
                              item.annotation_type != thrift::AnnotationType::BOOL;
                     });
}

}  // namespace

std::vector<thrift::Span> ReadSpans(const std::string& list) {
  Reader reader(list);
  std::int8_t element = 0;
  std::int32_t count = 0;
  reader.protocol()->readByte(element);
  reader.protocol()->readI32(count);
  EXPECT_EQ(element, TType::T_STRUCT);
  std::vector<thrift::Span> spans(static_cast<std::size_t>(count));
  for (thrift::Span& span : spans) span.read(reader.protocol());
  return spans;
}

thrift::Span ReadSpan(const std::string& bytes) {
  Reader reader(bytes);
  thrift::Span span;
  span.read(reader.protocol());
  return span;
}

std::string FromBase64(std::string_view text) {
  EXPECT_EQ(text.size() % 4, 0u);
  std::string bytes;
  for (; text.size() >= 4; text.remove_prefix(4)) {
    std::uint8_t group[4];
    const std::size_t digits = text.substr(0, 4).find('=');
    const std::uint32_t count = digits == text.npos ? 4 : static_cast<std::uint32_t>(digits);
    text.copy(reinterpret_cast<char*>(group), count);
    apache::thrift::protocol::base64_decode(group, count);
    bytes.append(reinterpret_cast<char*>(group), count - 1);
  }
  return bytes;
}

void ExpectSpan(const thrift::Span& read, const SpanRecord& span) {
  EXPECT_EQ(static_cast<std::uint64_t>(read.trace_id), span.trace_id_low);
  EXPECT_EQ(static_cast<std::uint64_t>(read.trace_id_high), span.trace_id_high);
  EXPECT_EQ(read.__isset.trace_id_high, span.trace_id_high != 0);
  EXPECT_EQ(static_cast<std::uint64_t>(read.id), span.span_id);
  EXPECT_EQ(static_cast<std::uint64_t>(read.parent_id), span.parent_span_id);
  EXPECT_EQ(read.__isset.parent_id, span.parent_span_id != 0);
  EXPECT_EQ(read.name, span.name);
  EXPECT_EQ(read.debug, span.debug);
  EXPECT_EQ(read.__isset.timestamp, !span.shared);
  EXPECT_EQ(read.__isset.duration, !span.shared && span.duration_ns >= 0);
  if (!span.shared) {
    EXPECT_EQ(read.timestamp, span.start_ns / 1000);
    if (span.duration_ns >= 0) {
      EXPECT_EQ(read.duration, std::max<std::int64_t>(span.duration_ns / 1000, 1));
    }
  }
  EXPECT_EQ(TellsTheLocalEndpoint(read), !span.local.empty());
  ExpectAnnotations(read.annotations, span);
  ExpectBinaryAnnotations(read.binary_annotations, span);
}

}  // namespace tracekin
