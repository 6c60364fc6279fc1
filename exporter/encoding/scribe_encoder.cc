// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/scribe_encoder.h"

#include <arpa/inet.h>

#include <cstdint>

#include "base/base64.h"

namespace tracekin::exporter {

namespace {

using namespace std::string_view_literals;

// Begins the field `messages`, a list of structs. The number of structs follows.
constexpr std::string_view kArgumentsBegin = "\x0F\0\1\x0C\0\0\0\0"sv;

// Encodes the length of a string or a list.
std::string Size(std::size_t size) {
  const std::uint32_t number = htonl(static_cast<std::uint32_t>(size));
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

ScribeEncoder::ScribeEncoder(std::string_view category)
    : entry_begin_(std::string("\x0B\0\1", 3) + Size(category.size()) + std::string(category) +
                   std::string("\x0B\0\2", 3)) {}

void ScribeEncoder::Begin(const Resource& resource, std::string* body) {
  span_.set_resource(&resource);
  body->append(kArgumentsBegin);
}

void ScribeEncoder::Add(const SpanRecord& span, std::string* body) {
  const std::string_view bytes = span_.Write(span);
  body->append(entry_begin_).append(Size(Base64Size(bytes.size())));
  AppendBase64(bytes, body);
  body->push_back('\0');  // the entry's end
}

void ScribeEncoder::End(std::size_t spans, std::string* body) {
  body->replace(kArgumentsBegin.size() - 4, 4, Size(spans));
  body->push_back('\0');  // the arguments' end
}

}  // namespace tracekin::exporter
