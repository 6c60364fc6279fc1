// SPDX-License-Identifier: Apache-2.0
#include "tracer/span_writer.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/utf8.h"
#include "tracer/value_text.h"

namespace tracekin {

// Writes the name like AddEntry, but with fewer checks, because unsampled spans also need their
// name.
SpanWriter::SpanWriter(std::string_view name) noexcept {
  static_assert(kMaxNameBytes <
                kInlineBytes - sizeof(exporter::SpanHeader) - sizeof(exporter::EntryHeader));
  header() = exporter::SpanHeader{};
  name = Cut(name, kMaxNameBytes);
  header().name = sizeof(exporter::SpanHeader);
  const exporter::EntryHeader entry{exporter::EntryType::kName, ValueType::kText, 0,
                                    static_cast<std::uint32_t>(name.size())};
  char* at = inline_ + sizeof(exporter::SpanHeader);
  std::memcpy(at, &entry, sizeof entry);
  at += sizeof entry;
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  at[name.size()] = '\0';
  header().size = static_cast<std::uint32_t>(at + name.size() + 1 - inline_);
}

SpanWriter::~SpanWriter() {
  if (bytes_ != inline_) std::free(bytes_);
}

std::string_view SpanWriter::name() const {
  return exporter::ReadEntry(bytes_ + header().name).value();
}

void SpanWriter::SetName(std::string_view name) noexcept {
  CompactIfWorthwhile();
  // Removes the old name first, so that a full span also has room for a name.
  Kill(header().name);
  header().name = static_cast<std::uint16_t>(
      AddEntry(exporter::EntryType::kName, {}, Cut(name, kMaxNameBytes)));
}

void SpanWriter::SetTag(std::string_view key, const opentracing::Value& value) noexcept {
  try {
    const ValueText text(value);
    SetTextTag({key, text.view(), text.type()});
  } catch (...) {
    ++header().truncated;  // no memory for the text of a list or map
  }
}

void SpanWriter::SetTextTag(const SpanRecord::Tag& tag) noexcept {
  const std::string_view key = Cut(tag.key, kMaxKeyBytes);
  CompactIfWorthwhile();
  RemoveTag(key);
  AddEntry(exporter::EntryType::kTag, key, tag.value, tag.type);
}

void SpanWriter::RemoveTag(std::string_view key) noexcept {
  const std::uint32_t end = header().size;
  for (std::uint32_t at = sizeof(exporter::SpanHeader); at < end;) {
    const exporter::Entry entry = exporter::ReadEntry(bytes_ + at);
    // The compiler may call a function for ==, so the sizes are compared first.
    if (entry.header.type == exporter::EntryType::kTag && entry.header.key_size == key.size() &&
        std::memcmp(entry.text, key.data(), key.size()) == 0) {
      Kill(at);
    }
    at += static_cast<std::uint32_t>(entry.header.size());
  }
}

bool SpanWriter::HasTag(std::string_view key) const noexcept {
  bool has = key == "span.kind" && header().kind != SpanKind::kLocal;
  exporter::ForEachEntry(bytes_, header().size, [&](const exporter::Entry& entry) {
    has = has || (entry.header.type == exporter::EntryType::kTag && entry.key() == key);
  });
  return has;
}

void SpanWriter::SetRecord(const SpanRecord& record) noexcept {
  exporter::SpanHeader& head = header();
  head.trace_id_high = record.trace_id_high;
  head.trace_id_low = record.trace_id_low;
  head.span_id = record.span_id;
  head.parent_span_id = record.parent_span_id;
  head.start_ns = record.start_ns;
  head.duration_ns = record.duration_ns;
  head.kind = record.kind;
  head.debug = record.debug;
  head.shared = record.shared;
  head.random_trace_id = record.random_trace_id;
  SetEndpoint(exporter::EntryType::kLocal, record.local);
  SetEndpoint(exporter::EntryType::kRemote, record.remote);
  SetTraceState(record.trace_state);
  SetStatus(record);
  for (const SpanRecord::Tag& tag : record.tags) SetTextTag(tag);
  for (const SpanRecord::Annotation& annotation : record.annotations) SetAnnotation(annotation);
  for (const SpanRecord::Link& link : record.links) AddLink(link);
}

// Stores the status as the tag `error`. If the record has a tag with that key, it replaces this
// one.
void SpanWriter::SetStatus(const SpanRecord& record) noexcept {
  if (record.status == SpanStatus::kUnset) return;
  const bool failed = record.status == SpanStatus::kError;
  if (failed && !record.status_message.empty()) return SetTextTag({"error", record.status_message});
  SetTextTag({"error", failed ? "true" : "false", ValueType::kBool});
}

void SpanWriter::SetAnnotation(const SpanRecord::Annotation& annotation) noexcept {
  if (!BeginLog(annotation.timestamp_ns)) return;
  Append(annotation.text);
  EndText();
  for (const SpanRecord::Tag& field : annotation.fields) AddTextLogField(field);
  EndLog();
}

void SpanWriter::AddLink(const SpanRecord::Link& link) noexcept {
  const exporter::LinkBytes bytes{link.trace_id_high, link.trace_id_low, link.span_id,
                                  static_cast<std::uint64_t>(link.type)};
  if (!MakeRoom(sizeof(exporter::EntryHeader) + sizeof bytes + 1)) {
    ++header().truncated;
    return;
  }
  PutEntry(exporter::EntryType::kLink, {}, {reinterpret_cast<const char*>(&bytes), sizeof bytes},
           ValueType::kText);
}

void SpanWriter::SetTraceState(std::string_view trace_state) noexcept {
  if (!trace_state.empty()) AddEntry(exporter::EntryType::kTraceState, {}, trace_state);
}

void SpanWriter::SetEndpoint(exporter::EntryType type, const Endpoint& endpoint) noexcept {
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) AddEntry(type, key, value);
  };
  add("service", endpoint.service_name);
  add("ipv4", endpoint.ipv4);
  add("ipv6", endpoint.ipv6);
  char port[8];
  const char* const end = std::to_chars(port, port + sizeof port, endpoint.port).ptr;
  if (endpoint.port != 0) add("port", {port, static_cast<std::size_t>(end - port)});
}

// Appends an entry and returns its offset. Cuts a value that is too long. If there is no room for
// the key, omits the entry and returns 0.
std::uint32_t SpanWriter::AddEntry(exporter::EntryType type, std::string_view key,
                                   std::string_view value, ValueType value_type) noexcept {
  const std::size_t fixed = sizeof(exporter::EntryHeader) + key.size() + 1;
  if (__builtin_expect(!MakeRoom(fixed + value.size()), 0)) {
    if (!HasRoom(fixed)) {
      ++header().truncated;
      return 0;
    }
    value = Cut(value, capacity_ - header().size - fixed);
    value_type = ValueType::kText;
  }
  return PutEntry(type, key, value, value_type);
}

// Appends an entry and returns its offset. REQUIRES: there is room for it.
inline std::uint32_t SpanWriter::PutEntry(exporter::EntryType type, std::string_view key,
                                          std::string_view value, ValueType value_type) noexcept {
  const std::uint32_t start = header().size;
  char* at = bytes_ + start;
  const exporter::EntryHeader entry{type, value_type, static_cast<std::uint16_t>(key.size()),
                                    static_cast<std::uint32_t>(value.size())};
  std::memcpy(at, &entry, sizeof entry);
  at += sizeof entry;
  if (!key.empty()) std::memcpy(at, key.data(), key.size());
  at += key.size();
  if (!value.empty()) std::memcpy(at, value.data(), value.size());
  at[value.size()] = '\0';
  header().size += static_cast<std::uint32_t>(entry.size());
  return start;
}

bool SpanWriter::BeginLog(std::int64_t timestamp_ns) noexcept {
  CompactIfWorthwhile();
  if (!MakeRoom(sizeof(exporter::EntryHeader) + sizeof timestamp_ns + 1)) {
    ++header().truncated;
    return false;
  }
  cut_ = false;
  log_ = header().size;
  std::memcpy(bytes_ + log_ + sizeof(exporter::EntryHeader), &timestamp_ns, sizeof timestamp_ns);
  header().size += sizeof(exporter::EntryHeader) + sizeof timestamp_ns;
  return true;
}

// Appends text to the log entry. Always leaves room for the NUL.
void SpanWriter::Append(std::string_view text) noexcept {
  if (cut_ || text.empty()) return;
  if (!HasRoom(text.size() + 1)) {
    cut_ = true;
    text = TruncateUtf8(text, capacity_ - header().size - 1);
  }
  std::memcpy(bytes_ + header().size, text.data(), text.size());
  header().size += static_cast<std::uint32_t>(text.size());
}

void SpanWriter::AppendValue(const opentracing::Value& value) noexcept {
  try {
    Append(ValueText(value).view());
  } catch (...) {
    cut_ = true;  // no memory for the text of a list or map
  }
}

// Completes the log entry without its fields: writes its header and the NUL after its text.
void SpanWriter::EndText() noexcept {
  char* value = bytes_ + log_ + sizeof(exporter::EntryHeader);
  const exporter::EntryHeader entry{exporter::EntryType::kLog, ValueType::kText, 0,
                                    static_cast<std::uint32_t>(bytes_ + header().size - value)};
  std::memcpy(bytes_ + log_, &entry, sizeof entry);
  bytes_[header().size++] = '\0';
}

void SpanWriter::AddLogField(std::string_view key, const opentracing::Value& value) noexcept {
  try {
    const ValueText text(value);
    AddTextLogField({key, text.view(), text.type()});
  } catch (...) {
    cut_ = true;  // no memory for the text of a list or map
  }
}

// Appends a field to the log entry. Cuts a field that does not fit, and omits the fields after it.
// Does not remove dead entries, because the log entry must not move.
void SpanWriter::AddTextLogField(SpanRecord::Tag field) noexcept {
  if (cut_) return;
  field.key = Cut(field.key, kMaxKeyBytes);
  const std::size_t fixed = sizeof(exporter::EntryHeader) + field.key.size() + 1;
  if (__builtin_expect(!HasRoom(fixed + field.value.size()), 0)) {
    cut_ = true;
    if (!HasRoom(fixed)) return;
    field.value = TruncateUtf8(field.value, capacity_ - header().size - fixed);
    field.type = ValueType::kText;
  }
  PutEntry(exporter::EntryType::kLogField, field.key, field.value, field.type);
}

std::string_view SpanWriter::EndLog() noexcept {
  if (cut_) ++header().truncated;
  return {bytes_ + log_, header().size - log_};
}

std::string_view SpanWriter::Cut(std::string_view text, std::size_t max_bytes) noexcept {
  if (__builtin_expect(text.size() <= max_bytes, 1)) return text;
  ++header().truncated;
  return TruncateUtf8(text, max_bytes);
}

void SpanWriter::Kill(std::uint32_t entry) noexcept {
  bytes_[entry + offsetof(exporter::EntryHeader, type)] =
      static_cast<char>(exporter::EntryType::kDead);
  dead_ += static_cast<std::uint32_t>(exporter::ReadEntry(bytes_ + entry).header.size());
}

// Removes dead entries, so that setting the same tag repeatedly does not fill the span. Does so
// only if half of the bytes are dead or the span is large, so that the total time stays linear.
void SpanWriter::CompactIfWorthwhile() noexcept {
  if (__builtin_expect(dead_ <= kMaxDeadBytes, 1)) return;
  if (dead_ > header().size / 2 || header().size > exporter::kMaxSpanBytes / 2) Compact();
}

// Removes dead entries.
void SpanWriter::Compact() noexcept {
  if (dead_ == 0) return;
  const std::uint32_t end = header().size;
  std::uint32_t to = sizeof(exporter::SpanHeader);
  for (std::uint32_t from = to; from < end;) {
    const exporter::EntryHeader entry = exporter::ReadEntry(bytes_ + from).header;
    const auto size = static_cast<std::uint32_t>(entry.size());
    if (entry.type != exporter::EntryType::kDead) {
      if (header().name == from) header().name = static_cast<std::uint16_t>(to);
      std::memmove(bytes_ + to, bytes_ + from, size);
      to += size;
    }
    from += size;
  }
  header().size = to;
  dead_ = 0;
}

// Makes room for `more` bytes, or as much room as possible. Returns whether there is enough room.
// Does not throw if there is no memory, because losing data of a span is not a reason to fail.
bool SpanWriter::Grow(std::size_t more) noexcept {
  const std::size_t size = header().size;
  const std::size_t wanted = std::min<std::size_t>(
      std::max<std::size_t>(size + more, 2 * capacity_), exporter::kMaxSpanBytes);
  if (wanted > capacity_) {
    char* bigger =
        static_cast<char*>(std::realloc(bytes_ == inline_ ? nullptr : bytes_, wanted + kPadding));
    if (bigger == nullptr) return false;
    if (bytes_ == inline_) std::memcpy(bigger, inline_, size);
    bytes_ = bigger;
    capacity_ = static_cast<std::uint32_t>(wanted);
  }
  return more <= capacity_ - size;
}

}  // namespace tracekin
