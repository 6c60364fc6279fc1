// SPDX-License-Identifier: Apache-2.0
// Writes a span's bytes (exporter/pipeline/span_bytes.h) in place as the application sets its tags and logs.
//
// The first bytes lie in the span object itself, so that a usual span allocates nothing more; a
// larger one moves to the heap, up to kMaxSpanBytes. What does not fit then is cut, or left out,
// and counted.
//
// Values become text here, with their type beside it: numbers as to_chars writes them (the shortest
// that reads back), lists and maps as JSON. A value that is cut becomes plain text. Not synchronised:
// the span's lock is held around each call. Nothing throws.
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

  /// The whole span; header().size bytes, followed by kPadding (base/utf8.h) that may be read.
  const char* bytes() const { return bytes_; }

  /// NUL-terminated. Valid until the next change.
  std::string_view name() const;

  void SetName(std::string_view name) noexcept;

  /// Replaces a tag of the same key.
  void SetTag(std::string_view key, const opentracing::Value& value) noexcept;
  void RemoveTag(std::string_view key) noexcept;
  /// Whether there is a tag of that key. A kind is one with the key span.kind.
  bool HasTag(std::string_view key) const noexcept;

  /// Everything of a record but its name.
  void SetRecord(const SpanRecord& record) noexcept;

  void AddLink(const SpanRecord::Link& link) noexcept;
  void SetTraceState(std::string_view trace_state) noexcept;

  /// Appends a log entry: the value of the first field `event` is its text, the others follow as
  /// fields. Returns the entries, valid until the next change; none if there was no room. `Fields` is
  /// a sequence of pairs of a string and a Value.
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
  static constexpr std::uint32_t kMaxDeadBytes = 512;  // more may be worth squeezing out

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
  std::uint32_t log_ = 0;   // offset of the log entry that is being made
  bool cut_ = false;        // that something of it did not fit
  alignas(exporter::SpanHeader) char inline_[kInlineBytes + kPadding];
};

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SPAN_WRITER_H
