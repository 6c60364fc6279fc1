// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of a span (exporter/pipeline/span_bytes.h) in place while the application sets
// its tags and logs.
//
// The buffer is part of the span object, so that a typical span does not need another allocation. A
// larger span moves to the heap and grows up to kMaxSpanBytes. Data that does not fit is cut or
// omitted, and counted.
//
// The writer converts values to text and stores their type next to it. Numbers are written in the
// format of to_chars, which is the shortest text that reads back as the same number. Lists and maps
// are written as JSON. A value that is cut becomes plain text. No function throws.
//
// Thread-safety: not synchronized. The caller holds the span's lock during each call.
#ifndef TRACEKIN_TRACER_SPAN_WRITER_H
#define TRACEKIN_TRACER_SPAN_WRITER_H

#include <opentracing/value.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "exporter/pipeline/span_bytes.h"

namespace tracekin {

class SpanWriter {
 public:
  explicit SpanWriter(std::string_view name) noexcept;
  ~SpanWriter();

  SpanWriter(const SpanWriter&) = delete;
  SpanWriter& operator=(const SpanWriter&) = delete;

  exporter::SpanHeader& header() { return *reinterpret_cast<exporter::SpanHeader*>(bytes_); }
  const exporter::SpanHeader& header() const {
    return *reinterpret_cast<const exporter::SpanHeader*>(bytes_);
  }

  /// Returns the whole span: header().size bytes, followed by kPadding bytes (base/utf8.h) that may
  /// be read.
  const char* bytes() const { return bytes_; }

  /// Returns the name, which is followed by a NUL. The result is valid until the next change.
  std::string_view name() const;

  void SetName(std::string_view name) noexcept;

  /// Sets a tag, and replaces the tag that has the same key.
  void SetTag(std::string_view key, const opentracing::Value& value) noexcept;
  void RemoveTag(std::string_view key) noexcept;
  /// Returns whether the span has a tag with this key. A kind other than kLocal counts as a tag
  /// with the key span.kind.
  bool HasTag(std::string_view key) const noexcept;

  /// Copies everything from `record` except for its name.
  void SetRecord(const SpanRecord& record) noexcept;

  void AddLink(const SpanRecord::Link& link) noexcept;
  void SetTraceState(std::string_view trace_state) noexcept;

  /// Appends a log entry. The value of the first field `event` becomes its text, and the other
  /// fields follow as entries. Returns these entries, which are valid until the next change, or ""
  /// if there is no room. `Fields` is a sequence of pairs of a string and a Value.
  template <class Fields>
  std::string_view AddLog(std::int64_t timestamp_ns, const Fields& fields) noexcept {
    auto event = fields.begin();
    while (event != fields.end() && event->first != "event") ++event;
    if (!BeginLog(timestamp_ns)) return {};
    if (event != fields.end()) AppendValue(event->second);
    EndText();
    for (auto field = fields.begin(); field != fields.end() && !cut_; ++field) {
      if (field != event) AddLogField({field->first.data(), field->first.size()}, field->second);
    }
    return EndLog();
  }

 private:
  static_assert(exporter::kMaxSpanBytes <= 0xFFFF, "SpanHeader::name is an offset of 16 bits");

  static constexpr std::uint32_t kInlineBytes = 640;
  static constexpr std::size_t kMaxNameBytes = 512;
  static constexpr std::size_t kMaxKeyBytes = 1024;
  static constexpr std::uint32_t kMaxDeadBytes = 512;  // CompactIfWorthwhile() ignores fewer

  void SetTextTag(const SpanRecord::Tag& tag) noexcept;
  void SetEndpoint(exporter::EntryType type, const Endpoint& endpoint) noexcept;
  void SetStatus(const SpanRecord& record) noexcept;
  void SetAnnotation(const SpanRecord::Annotation& annotation) noexcept;
  std::uint32_t AddEntry(exporter::EntryType type, std::string_view key, std::string_view value,
                         ValueType value_type = ValueType::kText) noexcept;
  std::uint32_t PutEntry(exporter::EntryType type, std::string_view key, std::string_view value,
                         ValueType value_type) noexcept;
  bool BeginLog(std::int64_t timestamp_ns) noexcept;
  void Append(std::string_view text) noexcept;
  void AppendValue(const opentracing::Value& value) noexcept;
  void EndText() noexcept;
  void AddLogField(std::string_view key, const opentracing::Value& value) noexcept;
  void AddTextLogField(SpanRecord::Tag field) noexcept;
  std::string_view EndLog() noexcept;

  std::string_view Cut(std::string_view text, std::size_t max_bytes) noexcept;
  void Kill(std::uint32_t entry) noexcept;
  void CompactIfWorthwhile() noexcept;
  [[gnu::noinline]] void Compact() noexcept;
  bool HasRoom(std::size_t more) noexcept {
    return more <= capacity_ - header().size || Grow(more);
  }
  bool MakeRoom(std::size_t more) noexcept {
    if (HasRoom(more)) return true;
    Compact();
    return HasRoom(more);
  }
  [[gnu::noinline]] bool Grow(std::size_t more) noexcept;

  char* bytes_ = inline_;
  std::uint32_t capacity_ = kInlineBytes;
  std::uint32_t dead_ = 0;  // bytes of dead entries
  std::uint32_t log_ = 0;   // offset of the log entry that is being written
  bool cut_ = false;        // true if a part of this log entry did not fit
  alignas(exporter::SpanHeader) char inline_[kInlineBytes + kPadding];
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SPAN_WRITER_H
