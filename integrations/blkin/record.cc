// SPDX-License-Identifier: Apache-2.0
#include "integrations/blkin/record.h"

#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/no_cancellation.h"
#include "base/utf8.h"
#include "integrations/blkin/process.h"
#include "ust/loader.h"

namespace tracekin::blkin {

namespace {

// Text as the UST provider requires it: bounded, valid UTF-8. Usually points to the original text.
// Empty if memory runs out.
class EventText {
 public:
  explicit EventText(const char* text) noexcept : text_(text) {
    constexpr std::size_t kMaxBytes = 32768;
    const std::size_t size = strnlen(text, kMaxBytes + 1);
    try {
      const std::string_view valid = SanitizePrefix({text, size}, kMaxBytes, &scratch_);
      if (valid.size() == size && valid.data() == text) return;
      if (valid.data() == text) scratch_ = valid;  // a copy with a NUL where the text was cut
      text_ = scratch_.c_str();
    } catch (...) {
      text_ = "";
    }
  }
  EventText(const EventText&) = delete;
  EventText& operator=(const EventText&) = delete;

  const char* get() const { return text_; }

 private:
  const char* text_;
  std::string scratch_;
};

class EventOrigin {
 public:
  explicit EventOrigin(const Origin& origin) noexcept
      : name_(origin.name),
        service_(origin.service),
        ip_(origin.ip),
        event_{name_.get(),
               service_.get(),
               ip_.get(),
               origin.port,
               origin.ids.trace_id,
               origin.ids.span_id,
               origin.ids.parent_span_id} {}

  const tracekin_ust_zipkin* get() const { return &event_; }

 private:
  const EventText name_;
  const EventText service_;
  const EventText ip_;
  const tracekin_ust_zipkin event_;
};

using RecordText = void (*)(const tracekin_ust_zipkin*, const char*, const char*);

void RecordTextEvent(const int* enabled, RecordText record, const Origin& origin, const char* key,
                     const char* value) noexcept {
  if (!ust::Enabled(enabled)) return;
  const NoCancellation no_cancellation;
  record(EventOrigin(origin).get(), EventText(key).get(), EventText(value).get());
}

// Returns whether records of this trace may be used.
bool Traced(const Origin& origin) noexcept {
  if (origin.ids.trace_id == 0) return false;
  Initialise();
  return true;
}

void AddTag(const Origin& origin, const char* key, std::string_view value) noexcept {
  if (Spans().active()) Spans().Tag(origin, key, value, SystemNow());
}

}  // namespace

void RecordTimestamp(const Origin& origin, const char* event) noexcept {
  if (!Traced(origin)) return;
  const tracekin_ust_recorder* ust = ust::Recorder();
  if (ust::Enabled(ust->zipkin_timestamp_enabled)) {
    const NoCancellation no_cancellation;
    ust->zipkin_timestamp(EventOrigin(origin).get(), EventText(event).get());
  }
  if (Spans().active()) Spans().Annotate(origin, event, SystemNow());
}

void RecordKeyval(const Origin& origin, const char* key, const char* value) noexcept {
  if (!Traced(origin)) return;
  const tracekin_ust_recorder* ust = ust::Recorder();
  RecordTextEvent(ust->zipkin_keyval_enabled, ust->zipkin_keyval, origin, key, value);
  AddTag(origin, key, value);
}

void RecordKeyvalString(const Origin& origin, const char* key, const char* value) noexcept {
  if (!Traced(origin)) return;
  const tracekin_ust_recorder* ust = ust::Recorder();
  RecordTextEvent(ust->zipkin_keyval_string_enabled, ust->zipkin_keyval_string, origin, key, value);
  AddTag(origin, key, value);
}

void RecordKeyvalInteger(const Origin& origin, const char* key, std::int64_t value) noexcept {
  if (!Traced(origin)) return;
  const tracekin_ust_recorder* ust = ust::Recorder();
  if (ust::Enabled(ust->zipkin_keyval_integer_enabled)) {
    const NoCancellation no_cancellation;
    ust->zipkin_keyval_integer(EventOrigin(origin).get(), EventText(key).get(), value);
  }
  char digits[20];  // enough for INT64_MIN with its sign
  const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  AddTag(origin, key, {digits, static_cast<std::size_t>(end - digits)});
}

}  // namespace tracekin::blkin
