// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/span_bytes.h"

#include "base/ip_address.h"

namespace tracekin::exporter {

namespace {

constexpr std::size_t kMaxResourceKey = 1024;

// Returns whether an entry with this header is valid after an entry of type `before`.
bool IsWellFormedEntry(const EntryHeader& entry, EntryType before) noexcept {
  if (entry.type > EntryType::kTraceState || entry.value_type > ValueType::kJson) return false;
  switch (entry.type) {
    case EntryType::kLog:
      return entry.value_size >= sizeof(std::int64_t);
    case EntryType::kLogField:
      return before == EntryType::kLog || before == EntryType::kLogField;
    case EntryType::kLink:
      return entry.value_size == sizeof(LinkBytes);
    default:
      return true;
  }
}

void AppendEntry(EntryType type, const SpanRecord::Tag& tag, std::string* entries) {
  const std::string_view key = TruncateUtf8(tag.key, kMaxResourceKey);
  const EntryHeader header{type, tag.type, static_cast<std::uint16_t>(key.size()),
                           static_cast<std::uint32_t>(tag.value.size())};
  entries->append(reinterpret_cast<const char*>(&header), sizeof header);
  entries->append(key).append(tag.value).push_back('\0');
}

SpanRecord::Tag ReadTag(const Entry& entry, ValidText* valid) {
  const std::string_view key = entry.key(), value = entry.value();
  if (IsAscii({entry.text, key.size() + value.size()})) {
    return {key, value, entry.header.value_type};
  }
  return {valid->Of(key), valid->Of(value), entry.header.value_type};
}

}  // namespace

bool AreWellFormedEntries(std::string_view entries) noexcept {
  EntryType before = EntryType::kDead;
  while (!entries.empty()) {
    if (entries.size() < sizeof(EntryHeader)) return false;
    const EntryHeader entry = ReadEntry(entries.data()).header;
    if (entry.value_size > entries.size() || entry.size() > entries.size() ||
        !IsWellFormedEntry(entry, before)) {
      return false;
    }
    entries.remove_prefix(entry.size());
    before = entry.type;
  }
  return true;
}

bool IsWellFormedSpan(std::string_view bytes) noexcept {
  SpanHeader header;
  if (bytes.size() < sizeof header) return false;
  for (const std::size_t flag :
       {offsetof(SpanHeader, debug), offsetof(SpanHeader, error), offsetof(SpanHeader, shared),
        offsetof(SpanHeader, random_trace_id)}) {
    if (bytes[flag] >> 1 != 0) return false;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.size == bytes.size() && header.kind <= SpanKind::kConsumer &&
         AreWellFormedEntries(bytes.substr(sizeof header));
}

std::string ResourceBytes(const Resource& resource) {
  std::string entries;
  AppendEntry(EntryType::kName, {{}, resource.service_name}, &entries);
  for (const SpanRecord::Tag& tag : resource.tags) AppendEntry(EntryType::kTag, tag, &entries);
  return entries;
}

ResourceReader::ResourceReader(std::string_view entries) {
  ForEachEntry(entries, [this](const Entry& entry) {
    if (entry.header.type == EntryType::kName) resource_.service_name = valid_.Of(entry.value());
    if (entry.header.type == EntryType::kTag) resource_.tags.push_back(ReadTag(entry, &valid_));
  });
}

// Inlines all calls, because calls of small functions would dominate the cost of a span; see
// docs/performance.md.
[[gnu::flatten]] const SpanRecord& SpanDecoder::Decode(const char* bytes) {
  SpanHeader header;
  std::memcpy(&header, bytes, sizeof header);
  // Does not call Clear(), because most fields are set below.
  record_.tags.clear();
  record_.annotations.clear();
  record_.links.clear();
  record_.status = SpanStatus::kUnset;
  record_.status_message = record_.trace_state = record_.name = {};
  record_.local = record_.remote = {};
  record_.local.service_name = service_;
  fields_.clear();
  valid_.Clear();
  record_.trace_id_high = header.trace_id_high;
  record_.trace_id_low = header.trace_id_low;
  record_.span_id = header.span_id;
  record_.parent_span_id = header.parent_span_id;
  record_.start_ns = header.start_ns;
  record_.duration_ns = header.duration_ns;
  record_.kind = header.kind;
  record_.debug = header.debug;
  record_.shared = header.shared;
  record_.random_trace_id = header.random_trace_id;

  ForEachEntry(bytes, header.size, [this](const Entry& entry) { TakeEntry(entry); });
  const SpanRecord::Tag* field = fields_.data();  // stays valid, because no more fields are added
  for (SpanRecord::Annotation& annotation : record_.annotations) {
    annotation.fields.first = field;
    field += annotation.fields.count;
  }
  if (header.truncated != 0) {
    const std::string_view count = valid_.Own(std::to_string(header.truncated));
    record_.tags.push_back({kTruncatedTag, count, ValueType::kInt});
  }
  return record_;
}

void SpanDecoder::TakeEntry(const Entry& entry) {
  switch (entry.header.type) {
    case EntryType::kName:
      record_.name = valid_.Of(entry.value());
      break;
    case EntryType::kTag:
      TakeTag(entry);
      break;
    case EntryType::kLog:
      record_.annotations.push_back({entry.timestamp_ns(), valid_.Of(entry.message())});
      break;
    case EntryType::kLogField:
      fields_.push_back(ReadTag(entry, &valid_));
      ++record_.annotations.back().fields.count;
      break;
    case EntryType::kLocal:
      SetEndpointField(entry.key(), valid_.Of(entry.value()), &record_.local);
      break;
    case EntryType::kRemote:
      SetEndpointField(entry.key(), valid_.Of(entry.value()), &record_.remote);
      break;
    case EntryType::kLink:
      TakeLink(entry);
      break;
    case EntryType::kTraceState:
      record_.trace_state = valid_.Of(entry.value());
      break;
    case EntryType::kDead:
      break;
  }
}

void SpanDecoder::TakeTag(const Entry& entry) {
  record_.tags.push_back(ReadTag(entry, &valid_));
  const SpanRecord::Tag& tag = record_.tags.back();
  // Comparing the size avoids a call of memcmp for nearly all keys.
  if (tag.key.size() != 5 || tag.key != "error") return;
  const bool denies = tag.value == "false";
  record_.status = denies ? SpanStatus::kOk : SpanStatus::kError;
  record_.status_message = denies || tag.value == "true" ? std::string_view{} : tag.value;
}

[[gnu::noinline]] void SpanDecoder::TakeLink(const Entry& entry) {
  LinkBytes bytes;
  std::memcpy(&bytes, entry.value().data(), sizeof bytes);
  using Type = SpanRecord::Link::Type;
  const bool child = bytes.type == static_cast<std::uint64_t>(Type::kChildOf);
  record_.links.push_back({bytes.trace_id_high, bytes.trace_id_low, bytes.span_id,
                           child ? Type::kChildOf : Type::kFollowsFrom});
}

}  // namespace tracekin::exporter
