// SPDX-License-Identifier: Apache-2.0
#include "tracer/ust_events.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/log_line.h"
#include "base/no_cancellation.h"
#include "base/thread_state.h"
#include "base/utf8.h"
#include "base/valid_text.h"
#include "tracer/tracer_impl.h"
#include "ust/loader.h"

namespace tracekin {

namespace {

// Returns text from a span's bytes as valid UTF-8 without NULs, usually without a copy. Returns ""
// if there is no memory. REQUIRES: `text` is followed by padding as in a span.
const char* Valid(std::string_view text, std::string* scratch) noexcept {
  if (IsPlainPadded(text.data(), text.size())) return text.data();
  try {
    const std::string_view valid = Sanitize(text, scratch);
    return valid.data();
  } catch (...) {
    return "";
  }
}

tracekin_ust_span Describe(const TracerImpl& tracer, const SpanContext& context,
                           const SpanWriter& span, std::string* name) noexcept {
  tracekin_ust_span event{};
  event.trace_id_high = context.trace_id_high();
  event.trace_id_low = context.trace_id_low();
  event.span_id = context.span_id();
  event.parent_span_id = context.parent_span_id();
  event.op_name = Valid(span.name(), name);
  event.service = tracer.service_name().c_str();
  event.kind = SpanKindName(span.header().kind).data();  // a literal
  event.start_time = span.header().start_ns;
  event.tid = ThreadId();
  return event;
}

// Formats the tags as a JSON object of strings, in a buffer on the stack if it is large enough.
// Most tags are short and have no characters to escape. WritePlain copies these in one pass, and
// WriteAny writes all others.
class TagsText {
 public:
  TagsText(std::string_view tracers, const SpanWriter& span) noexcept : tracers_(tracers) {
    if (!WritePlain(span)) WriteAny(span);
  }

  const char* text() const { return text_; }

 private:
  bool WritePlain(const SpanWriter& span) noexcept {
    bool plain = span.header().truncated == 0;
    char* out = small_;
    *out++ = '{';
    ForEachTag(span, [&](const exporter::Entry& tag) {
      const std::string_view key = tag.key(), value = tag.value();
      const auto room = static_cast<std::size_t>(small_ + sizeof small_ - out);
      plain = plain && key.size() + value.size() + sizeof R"("":"",})" + kPadding <= room;
      if (!plain) return;
      *out++ = '"';
      plain = CopyIfPlain(key.data(), key.size(), out);
      out += key.size();
      std::memcpy(out, "\":\"", 3);
      out += 3;
      plain = plain && CopyIfPlain(value.data(), value.size(), out);
      out += value.size();
      std::memcpy(out, "\",", 2);
      out += 2;
    });
    if (out[-1] == ',') --out;
    *out++ = '}';
    *out = '\0';
    if (plain) text_ = small_;
    return plain;
  }

  void WriteAny(const SpanWriter& span) noexcept {
    const std::string truncated = std::to_string(span.header().truncated);
    std::size_t bound = 3 + Bound(exporter::kTruncatedTag, truncated);  // 3: braces and NUL
    ForEachTag(span, [&](const exporter::Entry& tag) { bound += Bound(tag.key(), tag.value()); });
    if (bound > sizeof small_) {
      large_.reset(new (std::nothrow) char[bound]);
      if (large_ == nullptr) return;
      out_ = large_.get();
    }
    text_ = out_;
    end_ = out_ + bound;
    *out_++ = '{';
    ForEachTag(span, [&](const exporter::Entry& tag) { Append(tag.key(), tag.value()); });
    if (span.header().truncated != 0) Append(exporter::kTruncatedTag, truncated);
    *out_++ = '}';
    *out_ = '\0';
  }

  template <class Visitor>
  void ForEachTag(const SpanWriter& span, Visitor visit) {
    exporter::ForEachEntry(tracers_, [&](const exporter::Entry& entry) {
      if (entry.header.type == exporter::EntryType::kTag && !span.HasTag(entry.key())) visit(entry);
    });
    exporter::ForEachEntry(span.bytes(), span.header().size, [&](const exporter::Entry& entry) {
      if (entry.header.type == exporter::EntryType::kTag) visit(entry);
    });
  }

  // Returns the maximum size of a member with its colon and comma. Replacing invalid UTF-8 makes
  // text up to three times as long.
  static std::size_t Bound(std::string_view key, std::string_view value) {
    return 2 + Bound(key) + Bound(value);
  }
  static std::size_t Bound(std::string_view text) {
    return IsPlain(text.data(), text.size()) ? text.size() + 2 : MaxJsonStringSize(3 * text.size());
  }

  void Append(std::string_view key, std::string_view value) noexcept {
    if (out_[-1] != '{') *out_++ = ',';
    Append(key);
    *out_++ = ':';
    Append(value);
  }

  void Append(std::string_view text) noexcept {
    try {
      text = Sanitize(text, &scratch_);
    } catch (...) {
      text = {};
    }
    char* written = WriteJsonString(text, out_, end_);
    if (written != nullptr) out_ = written;
  }

  const std::string_view tracers_;
  char small_[4096];
  std::unique_ptr<char[]> large_;
  std::string scratch_;
  char* out_ = small_;
  const char* end_ = nullptr;
  const char* text_ = "{}";
};

// Formats a log entry with fields as the same line that is sent to Zipkin. Throws std::bad_alloc.
void ComposeLine(std::string_view entries, std::string* line) {
  ValidText valid;
  SpanRecord::Annotation annotation{};
  std::vector<SpanRecord::Tag> fields;
  exporter::ForEachEntry(entries, [&](const exporter::Entry& entry) {
    if (entry.header.type == exporter::EntryType::kLog) {
      annotation.text = valid.Of(entry.message());
    } else {
      fields.push_back({valid.Of(entry.key()), valid.Of(entry.value()), entry.header.value_type});
    }
  });
  annotation.fields = {fields.data(), fields.size()};
  AppendLogLine(annotation, line);
}

// Returns a log entry and its fields as one line, or "" if there is no memory.
const char* LogText(std::string_view entries, std::string* scratch) noexcept {
  const exporter::Entry log = exporter::ReadEntry(entries.data());
  if (log.header.size() == entries.size()) return Valid(log.message(), scratch);
  try {
    ComposeLine(entries, scratch);
    return scratch->c_str();
  } catch (...) {
    return "";
  }
}

}  // namespace

bool UstListensToSpans() noexcept {
  const tracekin_ust_recorder* recorder = ust::Recorder();
  return ust::Enabled(recorder->span_start_enabled) ||
         ust::Enabled(recorder->span_finish_enabled) ||
         ust::Enabled(recorder->jaeger_start_span_enabled) ||
         ust::Enabled(recorder->jaeger_end_span_enabled) || UstListensToLogs();
}

bool UstListensToLogs() noexcept {
  const auto& states = ust::Recorder()->span_log_enabled;
  return std::any_of(std::begin(states), std::end(states), ust::Enabled);
}

void EmitSpanStart(const TracerImpl& tracer, const SpanContext& context,
                   const SpanWriter& span) noexcept {
  const tracekin_ust_recorder* recorder = ust::Recorder();
  const bool ours = ust::Enabled(recorder->span_start_enabled);
  const bool jaegers = ust::Enabled(recorder->jaeger_start_span_enabled) && tracer.jaeger_events();
  if (!ours && !jaegers) return;
  const NoCancellation no_cancellation;
  std::string name;
  const tracekin_ust_span event = Describe(tracer, context, span, &name);
  if (ours) recorder->span_start(&event);
  if (jaegers) recorder->jaeger_start_span(&event);
}

void EmitSpanFinish(const TracerImpl& tracer, const SpanContext& context,
                    const SpanWriter& span) noexcept {
  const tracekin_ust_recorder* recorder = ust::Recorder();
  const bool ours = ust::Enabled(recorder->span_finish_enabled);
  const bool jaegers = ust::Enabled(recorder->jaeger_end_span_enabled) && tracer.jaeger_events();
  if (!ours && !jaegers) return;
  const NoCancellation no_cancellation;
  std::string name;
  tracekin_ust_span event = Describe(tracer, context, span, &name);
  event.duration = span.header().duration_ns;
  if (jaegers) recorder->jaeger_end_span(&event);
  if (!ours) return;
  const TagsText tags(tracer.resource(), span);
  event.tags = tags.text();
  event.sampled = context.sampled();
  event.error = span.header().error;
  recorder->span_finish(&event);
}

void EmitSpanLog(const SpanContext& context, tracekin_ust_level level,
                 std::string_view entries) noexcept {
  const tracekin_ust_recorder* recorder = ust::Recorder();
  if (!ust::Enabled(recorder->span_log_enabled[level])) return;
  const NoCancellation no_cancellation;
  std::string scratch;
  const tracekin_ust_ids ids = {context.trace_id_high(), context.trace_id_low(), context.span_id(),
                                ThreadId()};
  recorder->span_log(level, &ids, LogText(entries, &scratch));
}

void RecordScopeEnter(tracekin_ust_ids* ids) noexcept {
  const tracekin_ust_recorder* recorder = ust::Recorder();
  if (!ust::Enabled(recorder->scope_enter_enabled)) return;
  const NoCancellation no_cancellation;
  ids->tid = ThreadId();
  recorder->scope_enter(ids);
}

void RecordScopeExit(tracekin_ust_ids* ids) noexcept {
  const tracekin_ust_recorder* recorder = ust::Recorder();
  if (!ust::Enabled(recorder->scope_exit_enabled)) return;
  const NoCancellation no_cancellation;
  ids->tid = ThreadId();
  recorder->scope_exit(ids);
}

}  // namespace tracekin
