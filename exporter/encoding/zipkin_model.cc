// SPDX-License-Identifier: Apache-2.0
#include "exporter/encoding/zipkin_model.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/ip_address.h"
#include "base/log_line.h"

namespace tracekin::exporter {

namespace {

constexpr std::string_view kPeer = "peer.";

// Comparing the first letter avoids a call of memcmp for nearly all keys.
bool IsError(std::string_view key) { return !key.empty() && key[0] == 'e' && key == "error"; }
bool IsPeer(std::string_view key) {
  return !key.empty() && key[0] == 'p' && key.substr(0, kPeer.size()) == kPeer;
}

}  // namespace

// Returns true if Zipkin can represent the span unchanged. Most spans of most programs do not need
// a copy.
inline bool ZipkinModel::IsToldAsItIs(const SpanRecord& span) const {
  if (span.status == SpanStatus::kError) return false;
  if (resource_ != nullptr && (!resource_->tags.empty() || span.local.service_name.empty())) {
    return false;
  }
  for (const SpanRecord::Tag& tag : span.tags) {
    if (IsError(tag.key) || IsPeer(tag.key)) return false;
  }
  for (const SpanRecord::Annotation& annotation : span.annotations) {
    if (!annotation.fields.empty()) return false;
  }
  return true;
}

const SpanRecord& ZipkinModel::Translate(const SpanRecord& span) {
  return IsToldAsItIs(span) ? span : Copy(span);
}

// Sets every field of `told_` that the encoders read, so that it does not need to clear the record
// first. Not inlined, because its callers inline all other calls.
[[gnu::noinline]] const SpanRecord& ZipkinModel::Copy(const SpanRecord& span) {
  told_.tags.clear();
  told_.annotations.clear();
  lines_used_ = 0;
  told_.trace_id_high = span.trace_id_high;
  told_.trace_id_low = span.trace_id_low;
  told_.span_id = span.span_id;
  told_.parent_span_id = span.parent_span_id;
  told_.start_ns = span.start_ns;
  told_.duration_ns = span.duration_ns;
  told_.kind = span.kind;
  told_.debug = span.debug;
  told_.shared = span.shared;
  told_.status = span.status;
  told_.name = span.name;
  told_.local = span.local;
  told_.remote = span.remote;
  if (resource_ != nullptr) TakeResource(span);
  for (const SpanRecord::Tag& tag : span.tags) TakeTag(tag);
  // TakeTag has cleared the status if the span has a tag `error`.
  if (told_.status == SpanStatus::kError) {
    const std::string_view message = span.status_message;
    told_.tags.push_back({"error", message.empty() ? "true" : message});
  }
  for (const SpanRecord::Annotation& annotation : span.annotations) TakeAnnotation(annotation);
  return told_;
}

void ZipkinModel::TakeResource(const SpanRecord& span) {
  if (told_.local.service_name.empty()) told_.local.service_name = resource_->service_name;
  for (const SpanRecord::Tag& tag : resource_->tags) {
    if (span.kind != SpanKind::kLocal && tag.key == "span.kind") continue;
    const auto replaces = [&tag](const SpanRecord::Tag& own) { return own.key == tag.key; };
    if (std::none_of(span.tags.begin(), span.tags.end(), replaces)) TakeTag(tag);
  }
}

void ZipkinModel::TakeTag(const SpanRecord::Tag& tag) {
  if (IsError(tag.key)) {
    told_.status = SpanStatus::kUnset;
    if (tag.value == "false") return;
  }
  if (IsPeer(tag.key) && TakePeer(tag.key.substr(kPeer.size()), tag.value)) return;
  told_.tags.push_back({tag.key, tag.value});
}

bool ZipkinModel::TakePeer(std::string_view field, std::string_view value) {
  if (field == "ipv4") {
    // <opentracing/ext/tags.h> defines this tag as a uint32, and the semantic conventions as text.
    std::uint32_t number = 0;
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, number);
    const in_addr address{htonl(number)};
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
      value = inet_ntop(AF_INET, &address, remote_ipv4_, sizeof remote_ipv4_);
    }
  }
  return SetEndpointField(field, value, &told_.remote);
}

void ZipkinModel::TakeAnnotation(const SpanRecord::Annotation& annotation) {
  std::string_view text = annotation.text;
  if (!annotation.fields.empty()) {
    if (lines_used_ == lines_.size()) lines_.emplace_back();
    std::string& line = lines_[lines_used_++];
    line.clear();
    AppendLogLine(annotation, &line);
    text = line;
  }
  told_.annotations.push_back({annotation.timestamp_ns, text});
}

}  // namespace tracekin::exporter
