// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/span_bytes.h"

#include <arpa/inet.h>

#include <charconv>

#include "base/ip_address.h"
#include "base/utf8.h"

namespace tracekin {

namespace {

template <class Number>
bool ParseNumber(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *number);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

bool IsAddress(int family, std::string_view text) {
  in6_addr address;  // the larger one
  return ParseAddress(family, text, &address);
}

}  // namespace

bool IsWellFormedSpan(std::string_view bytes) noexcept {
  SpanHeader header;
  if (bytes.size() < sizeof header) return false;
  for (const std::size_t flag :
       {offsetof(SpanHeader, debug), offsetof(SpanHeader, error), offsetof(SpanHeader, shared)}) {
    if (bytes[flag] >> 1 != 0) return false;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.size != bytes.size() || header.kind > SpanKind::kConsumer) return false;
  for (std::size_t at = sizeof header; at < bytes.size();) {
    if (bytes.size() - at < sizeof(EntryHeader)) return false;
    const Entry entry = ReadEntry(bytes.data() + at);
    const std::size_t value = entry.header.value_size;
    if (entry.header.type > EntryType::kLocal || value > bytes.size() ||
        entry.header.size() > bytes.size() - at ||
        (entry.header.type == EntryType::kLog && value < sizeof(std::int64_t))) {
      return false;
    }
    at += entry.header.size();
  }
  return true;
}

// Flattened as tags are (tracer/span.h): a third of its instructions were calls.
[[gnu::flatten]] const SpanRecord& SpanDecoder::Decode(const char* bytes) {
  SpanHeader header;
  std::memcpy(&header, bytes, sizeof header);
  record_.Clear();
  scratch_.clear();
  record_.trace_id_high = header.trace_id_high;
  record_.trace_id_low = header.trace_id_low;
  record_.span_id = header.span_id;
  record_.parent_span_id = header.parent_span_id;
  record_.start_ns = header.start_ns;
  record_.duration_ns = header.duration_ns;
  record_.kind = header.kind;
  record_.debug = header.debug;
  record_.shared = header.shared;
  record_.local.service_name = service_;

  ForEachEntry(bytes, header.size, [this](const Entry& entry) {
    switch (entry.header.type) {
      case EntryType::kName:
        record_.name = Valid(entry.value());
        break;
      case EntryType::kTag:
        if (IsAscii({entry.text, entry.key().size() + entry.value().size()})) {
          TakeTag(entry.key(), entry.value());
        } else {
          TakeTag(Valid(entry.key()), Valid(entry.value()));
        }
        break;
      case EntryType::kLog:
        record_.annotations.push_back({entry.timestamp_ns(), Valid(entry.message())});
        break;
      case EntryType::kLocal:
        TakeEndpoint(entry.key(), Valid(entry.value()), &record_.local);
        break;
      case EntryType::kDead:
        break;
    }
  });
  if (header.truncated != 0) {
    scratch_.push_back(std::to_string(header.truncated));
    record_.tags.push_back({kTruncatedTag, scratch_.back()});
  }
  return record_;
}

std::string_view SpanDecoder::Valid(std::string_view text) {
  const std::string_view valid = Sanitize(text, &changed_);
  if (valid.data() == text.data()) return valid;
  return scratch_.emplace_back(valid);
}

void SpanDecoder::TakeTag(std::string_view key, std::string_view value) {
  if (key == "error" && value == "false") return;
  // The first letter spares nearly all keys a call of memcmp.
  if (!key.empty() && key.front() == 'p' && key.substr(0, 5) == "peer." &&
      TakeEndpoint(key.substr(5), value, &record_.remote)) {
    return;
  }
  record_.tags.push_back({key, value});
}

[[gnu::noinline]] bool SpanDecoder::TakeEndpoint(std::string_view what, std::string_view value,
                                                 Endpoint* endpoint) {
  if (what == "service") {
    endpoint->service_name = value;
    return true;
  }
  if (what == "ipv4") {
    // <opentracing/ext/tags.h> has it as a uint32, the semantic conventions as text.
    std::uint32_t number = 0;
    if (ParseNumber(value, &number)) {
      const in_addr address{htonl(number)};
      char text[INET_ADDRSTRLEN];
      scratch_.emplace_back(inet_ntop(AF_INET, &address, text, sizeof text));
      value = scratch_.back();
    } else if (!IsAddress(AF_INET, value)) {
      return false;
    }
    endpoint->ipv4 = value;
    return true;
  }
  if (what == "ipv6" && IsAddress(AF_INET6, value)) {
    endpoint->ipv6 = value;
    return true;
  }
  std::uint16_t port = 0;
  if (what == "port" && ParseNumber(value, &port)) {
    endpoint->port = port;
    return true;
  }
  return false;
}

}  // namespace tracekin
