// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_thrift_encoder.h"

#include <arpa/inet.h>

#include <cstdint>
#include <cstring>

namespace tracekin::exporter {

namespace {

using namespace std::string_view_literals;

// Begins a list of structs: the type of its elements, followed by their number.
constexpr std::string_view kListBegin = "\x0C\0\0\0\0"sv;

}  // namespace

void ZipkinThriftEncoder::Begin(const Resource& resource, std::string* body) {
  span_.set_resource(&resource);
  body->append(kListBegin);
}

void ZipkinThriftEncoder::Add(const SpanRecord& span, std::string* body) {
  body->append(span_.Write(span));
}

void ZipkinThriftEncoder::End(std::size_t spans, std::string* body) {
  const std::uint32_t count = htonl(static_cast<std::uint32_t>(spans));
  std::memcpy(&(*body)[kListBegin.size() - sizeof count], &count, sizeof count);
}

}  // namespace tracekin::exporter
