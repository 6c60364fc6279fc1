// SPDX-License-Identifier: Apache-2.0
// Fuzzes the decoder of spans from the queue or the spool. It must accept only well-formed spans
// and reject all other bytes.
#include "exporter/pipeline/span_bytes.h"

#include <arpa/inet.h>

#include <string>
#include <vector>

#include "base/utf8.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/span.h"

namespace {

using namespace tracekin;

void CheckText(std::string_view text) {
  std::string scratch;
  CHECK(Sanitize(text, &scratch) == text);
}

bool IsAddress(int family, std::string_view text) {
  char address[sizeof(in6_addr)];
  return inet_pton(family, std::string(text).c_str(), address) == 1;
}

void CheckEndpoint(const Endpoint& endpoint) {
  CheckText(endpoint.service_name);
  CHECK(endpoint.ipv4.empty() || IsAddress(AF_INET, endpoint.ipv4));
  CHECK(endpoint.ipv6.empty() || IsAddress(AF_INET6, endpoint.ipv6));
}

void CheckTag(const SpanRecord::Tag& tag) {
  CheckText(tag.key);
  CheckText(tag.value);
  CHECK(tag.type <= ValueType::kJson);
}

void CheckDecoding(const std::vector<char>& bytes) {
  std::size_t entries = 0;
  exporter::ForEachEntry(bytes.data(), exporter::SpanSize(bytes.data()),
                         [&](const exporter::Entry&) { ++entries; });
  exporter::SpanDecoder decoder;
  const SpanRecord& record = decoder.Decode(bytes.data());
  CHECK(record.tags.size() + record.annotations.size() + record.links.size() <= entries + 1);
  CheckText(record.name);
  CheckEndpoint(record.local);
  CheckEndpoint(record.remote);
  CheckText(record.trace_state);
  CheckText(record.status_message);
  for (const SpanRecord::Tag& tag : record.tags) CheckTag(tag);
  for (const SpanRecord::Annotation& annotation : record.annotations) {
    CheckText(annotation.text);
    for (const SpanRecord::Tag& field : annotation.fields) CheckTag(field);
  }
}

}  // namespace

// The first byte selects whether the rest is used unchanged or as the parts of a span.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const bool build = input.TakeBool();
  const std::string span(build ? TakeSpan(&input) : input.rest());
  const std::vector<char> bytes(span.begin(), span.end());
  const bool good = exporter::IsWellFormedSpan({bytes.data(), bytes.size()});
  CHECK(good || !build);
  if (good) CheckDecoding(bytes);
  return 0;
}
