// SPDX-License-Identifier: Apache-2.0
#include "tests/exporter/encoding/varied_spans.h"

#include <cstdlib>
#include <iterator>

namespace tracekin {

namespace {

const std::string kTexts[] = {
    "plain",
    "",
    "with \"quotes\", \\ and / and \b\f\n\r\t\x01\x1F\x7F",
    "\xC3\xA4\xC3\xB6\xC3\xBC \xE2\x82\xAC \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80",
    "cs",
    "sr",
    "ws",
    "yAnnotations",
    "\"tags\" Endpoint\"",
    "</script> \xE2\x80\xA8",
    "{\"json\":[1,2.5,null]}",
    std::string(127, 'x'),
    std::string(128, 'y'),
    std::string(20000, 'z'),
};

const std::string& Text(std::size_t i) { return kTexts[i % std::size(kTexts)]; }

constexpr std::int64_t kDurations[] = {
    0, 999, 1'000, 127'000, 128'999, 1'500'000, 2'000'000'000, 3'600'000'000'000, -5};

constexpr Endpoint kRemotes[] = {
    {},
    {"backend", "", "", 0},
    {"", "192.168.99.101", "", 9000},
    {"backend", "", "2001:db8::c001", 65535},
    {"", "10.1.2.3", "2001:db8::1", 1},
    {"\xC3\xBC-service", "255.255.255.255", "fe80::1:2", 32768},
    {"", "", "::1", 0},
    {"named", "no address", "nor this", 80},
    {"", "", "", 443},
    {"mapped", "", "::ffff:10.9.8.7", 53},
};

}  // namespace

VariedSpans::VariedSpans(std::size_t count, std::uint64_t trace_id, std::int64_t start_ns) {
  for (std::size_t i = 0; i < count; ++i) spans_.push_back(Make(i, trace_id, start_ns));
}

// The periods are coprime, so that all combinations occur.
SpanRecord VariedSpans::Make(std::size_t i, std::uint64_t trace_id, std::int64_t start_ns) {
  SpanRecord span;
  span.trace_id_high = i % 2 == 1 ? kHigh : 0;
  span.trace_id_low = trace_id;
  span.span_id = i + 1;
  span.parent_span_id = i % 3 == 0 ? 0 : 0xF000000000000000 + i;
  span.start_ns = start_ns + static_cast<std::int64_t>(i) * 1'000'000;
  span.duration_ns = kDurations[i % std::size(kDurations)];
  span.kind = static_cast<SpanKind>(i % 5);
  span.debug = i % 7 == 0;
  span.shared = span.kind == SpanKind::kServer && i % 9 < 4;
  span.name = i % 11 == 0 ? "" : Own("operation " + Text(i / 2));
  span.local.service_name = i % 13 == 0 ? "\xC3\xA4-frontend" : "frontend";
  if (i % 4 == 0) span.local.ipv4 = "10.23.14.72";
  if (i % 6 == 0) span.local.ipv6 = "2001:db8::2";
  if (i % 8 == 0) span.local.port = 40000;
  span.remote = kRemotes[i / 3 % std::size(kRemotes)];
  const std::size_t tags = i % 97 == 0 ? 200 : i % 10;
  for (std::size_t tag = 0; tag < tags; ++tag) {
    span.tags.push_back({Own("key " + std::to_string(tag) + Text(tag)), Text(i + tag)});
  }
  if (i % 17 == 0) span.tags.push_back({"lc", "not empty"});
  for (std::size_t log = 0; log < i % 4; ++log) {
    const std::int64_t after_ns = static_cast<std::int64_t>(log + 1) * 7'001;
    const std::string& text = Text(i / 4 + log);
    // Zipkin's server does not read annotations without text from proto3.
    if (!text.empty()) span.annotations.push_back({span.start_ns + after_ns, text});
  }
  return span;
}

std::string Encode(exporter::Encoder& encoder, const std::vector<SpanRecord>& spans) {
  std::string body;
  const Resource resource;
  encoder.Begin(resource, &body);
  for (const SpanRecord& span : spans) encoder.Add(span, &body);
  encoder.End(spans.size(), &body);
  return body;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    bytes += static_cast<char>(std::strtoul(std::string(hex.substr(0, 2)).c_str(), nullptr, 16));
  }
  return bytes;
}

}  // namespace tracekin
