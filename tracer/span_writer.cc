// SPDX-License-Identifier: Apache-2.0
#include "tracer/span_writer.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "base/utf8.h"
#include "tracer/value_text.h"

namespace tracekin {

// The name goes where AddEntry would put it, with fewer questions asked: unsampled spans pay for
// this too.
SpanWriter::SpanWriter(std::string_view name) noexcept {
  static_assert(kMaxNameBytes < kInlineBytes - sizeof(SpanHeader) - sizeof(EntryHeader));
  header() = SpanHeader{};
  name = Cut(name, kMaxNameBytes);
  header().name = sizeof(SpanHeader);
  const EntryHeader entry{EntryType::kName, 0, static_cast<std::uint32_t>(name.size())};
  char* at = inline_ + sizeof(SpanHeader);
  std::memcpy(at, &entry, sizeof entry);
  at += sizeof entry;
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  at[name.size()] = '\0';
  header().size = static_cast<std::uint32_t>(at + name.size() + 1 - inline_);
}

SpanWriter::~SpanWriter() {
  if (bytes_ != inline_) std::free(bytes_);
}

std::string_view SpanWriter::name() const { return ReadEntry(bytes_ + header().name).value(); }

void SpanWriter::SetName(std::string_view name) noexcept {
  CompactIfWorthwhile();
  // The old name goes first, so that there is room for one, however full the span is.
  Kill(header().name);
  header().name = AddEntry(EntryType::kName, {}, Cut(name, kMaxNameBytes));
}

void SpanWriter::SetTag(std::string_view key, const opentracing::Value& value) noexcept {
  try {
    SetTextTag(key, ValueText(value).view());
  } catch (...) {
    ++header().truncated;  // no memory for the text of a list or map
  }
}

void SpanWriter::SetTextTag(std::string_view key, std::string_view value) noexcept {
  key = Cut(key, kMaxKeyBytes);
  CompactIfWorthwhile();
  RemoveTag(key);
  AddEntry(EntryType::kTag, key, value);
}

void SpanWriter::RemoveTag(std::string_view key) noexcept {
  const std::uint32_t end = header().size;
  for (std::uint32_t at = sizeof(SpanHeader); at < end;) {
    const Entry entry = ReadEntry(bytes_ + at);
    if (entry.header.type == EntryType::kTag && entry.key() == key) Kill(at);
    at += static_cast<std::uint32_t>(entry.header.size());
  }
}

void SpanWriter::AppendEntries(std::string_view entries) noexcept {
  if (!HasRoom(entries.size())) {
    ++header().truncated;
    return;
  }
  std::memcpy(bytes_ + header().size, entries.data(), entries.size());
  header().size += static_cast<std::uint32_t>(entries.size());
}

void SpanWriter::SetRecord(const SpanRecord& record) noexcept {
  SpanHeader& head = header();
  head.trace_id_high = record.trace_id_high;
  head.trace_id_low = record.trace_id_low;
  head.span_id = record.span_id;
  head.parent_span_id = record.parent_span_id;
  head.start_ns = record.start_ns;
  head.duration_ns = record.duration_ns;
  head.kind = record.kind;
  head.debug = record.debug;
  head.shared = record.shared;
  SetEndpoint(EntryType::kLocal, "", record.local);
  SetEndpoint(EntryType::kTag, "peer.", record.remote);
  for (const SpanRecord::Tag& tag : record.tags) SetTextTag(tag.key, tag.value);
  for (const SpanRecord::Annotation& annotation : record.annotations) {
    if (!BeginLog(annotation.timestamp_ns)) continue;
    Append(annotation.text);
    EndLog();
  }
}

void SpanWriter::SetEndpoint(EntryType type, std::string_view prefix,
                             const Endpoint& endpoint) noexcept {
  const auto add = [&](std::string_view what, std::string_view value) {
    if (value.empty()) return;
    char key[16];
    prefix.copy(key, prefix.size());
    what.copy(key + prefix.size(), what.size());
    AddEntry(type, {key, prefix.size() + what.size()}, value);
  };
  add("service", endpoint.service_name);
  add("ipv4", endpoint.ipv4);
  add("ipv6", endpoint.ipv6);
  char port[8];
  const char* const end = std::to_chars(port, port + sizeof port, endpoint.port).ptr;
  if (endpoint.port != 0) add("port", {port, static_cast<std::size_t>(end - port)});
}

// Returns where the entry is. A value that is too long is cut; an entry whose key does not fit is left
// out, and 0 returned.
std::uint32_t SpanWriter::AddEntry(EntryType type, std::string_view key,
                                   std::string_view value) noexcept {
  const std::size_t fixed = sizeof(EntryHeader) + key.size() + 1;
  if (__builtin_expect(!MakeRoom(fixed + value.size()), 0)) {
    if (!HasRoom(fixed)) {
      ++header().truncated;
      return 0;
    }
    value = Cut(value, capacity_ - header().size - fixed);
  }
  const std::uint32_t start = header().size;
  char* at = bytes_ + start;
  const EntryHeader entry{type, static_cast<std::uint16_t>(key.size()),
                          static_cast<std::uint32_t>(value.size())};
  std::memcpy(at, &entry, sizeof entry);
  at += sizeof entry;
  if (!key.empty()) std::memcpy(at, key.data(), key.size());
  at += key.size();
  if (!value.empty()) std::memcpy(at, value.data(), value.size());
  at[value.size()] = '\0';
  header().size += static_cast<std::uint32_t>(fixed + value.size());
  return start;
}

bool SpanWriter::BeginLog(std::int64_t timestamp_ns) noexcept {
  CompactIfWorthwhile();
  if (!MakeRoom(sizeof(EntryHeader) + sizeof timestamp_ns + 1)) {
    ++header().truncated;
    return false;
  }
  cut_ = false;
  log_ = header().size;
  std::memcpy(bytes_ + log_ + sizeof(EntryHeader), &timestamp_ns, sizeof timestamp_ns);
  header().size += sizeof(EntryHeader) + sizeof timestamp_ns;
  return true;
}

// Always leaves room for the NUL.
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

void SpanWriter::AppendField(std::string_view key, const opentracing::Value& value) noexcept {
  const bool first = header().size == log_ + sizeof(EntryHeader) + sizeof(std::int64_t);
  if (!first) Append(" ");
  Append(key);
  Append("=");
  try {
    const ValueText value_text(value);
    // More than a span holds is cut below in any case: it is neither looked at nor quoted.
    const std::string_view text = value_text.view().substr(0, kMaxSpanBytes);
    if (value_text.is_json() || text.find_first_of(" \"=") == std::string_view::npos) {
      return Append(text);
    }
    std::string quoted(MaxJsonStringSize(text.size()), '\0');
    const char* end = WriteJsonString(text, quoted.data(), quoted.data() + quoted.size());
    Append({quoted.data(), static_cast<std::size_t>(end - quoted.data())});
  } catch (...) {
    cut_ = true;
  }
}

std::string_view SpanWriter::EndLog() noexcept {
  if (cut_) ++header().truncated;
  char* value = bytes_ + log_ + sizeof(EntryHeader);
  const EntryHeader entry{EntryType::kLog, 0,
                          static_cast<std::uint32_t>(bytes_ + header().size - value)};
  std::memcpy(bytes_ + log_, &entry, sizeof entry);
  bytes_[header().size++] = '\0';
  return ReadEntry(bytes_ + log_).message();
}

std::string_view SpanWriter::Cut(std::string_view text, std::size_t max_bytes) noexcept {
  if (__builtin_expect(text.size() <= max_bytes, 1)) return text;
  ++header().truncated;
  return TruncateUtf8(text, max_bytes);
}

void SpanWriter::Kill(std::uint32_t entry) noexcept {
  bytes_[entry + offsetof(EntryHeader, type)] = static_cast<char>(EntryType::kDead);
  dead_ += static_cast<std::uint32_t>(ReadEntry(bytes_ + entry).header.size());
}

// A tag that is set again and again does not fill the span. Waiting for half of the bytes to be dead,
// while there are not many, makes that linear in all.
void SpanWriter::CompactIfWorthwhile() noexcept {
  if (__builtin_expect(dead_ <= kMaxDeadBytes, 1)) return;
  if (dead_ > header().size / 2 || header().size > kMaxSpanBytes / 2) Compact();
}

// Squeezes dead entries out.
void SpanWriter::Compact() noexcept {
  if (dead_ == 0) return;
  const std::uint32_t end = header().size;
  std::uint32_t to = sizeof(SpanHeader);
  for (std::uint32_t from = to; from < end;) {
    const EntryHeader entry = ReadEntry(bytes_ + from).header;
    const auto size = static_cast<std::uint32_t>(entry.size());
    if (entry.type != EntryType::kDead) {
      if (header().name == from) header().name = to;
      std::memmove(bytes_ + to, bytes_ + from, size);
      to += size;
    }
    from += size;
  }
  header().size = to;
  dead_ = 0;
}

// Makes room for `more` bytes, or else as much as there can be. Short of memory it does what it can: a
// span is not worth an exception.
bool SpanWriter::Grow(std::size_t more) noexcept {
  const std::size_t size = header().size;
  const std::size_t wanted =
      std::min<std::size_t>(std::max<std::size_t>(size + more, 2 * capacity_), kMaxSpanBytes);
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
