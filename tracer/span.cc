// SPDX-License-Identifier: Apache-2.0
#include "tracer/span.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/fork_generation.h"
#include "base/number.h"
#include "tracer/severity.h"
#include "tracer/tracer_impl.h"
#include "tracer/ust_events.h"
#include "tracer/value_text.h"

namespace tracekin {

namespace {

using opentracing::Value;

std::optional<double> NumberOf(const Value& value) {
  if (value.is<bool>()) return value.get<bool>() ? 1 : 0;
  if (value.is<std::int64_t>()) return static_cast<double>(value.get<std::int64_t>());
  if (value.is<std::uint64_t>()) return static_cast<double>(value.get<std::uint64_t>());
  if (value.is<double>()) return value.get<double>();
  const std::optional<std::string_view> text = TextOf(value);
  return text ? ParseDouble(*text) : std::nullopt;
}

bool IsFalse(const Value& value) {
  if (value.is<bool>()) return !value.get<bool>();
  return TextOf(value) == std::string_view{"false"};
}

}  // namespace

Span::Span(TracerImpl* tracer, propagation::Context&& context, std::string_view name, Start start,
           bool recording) noexcept
    : tracer_(tracer),
      context_(std::move(context)),
      start_steady_ns_(start.steady_ns),
      fork_generation_(ForkGeneration()),
      recording_(false),
      writer_(name) {
  writer_.header().start_ns = start.wall_ns;
  if (recording) StartRecording();
  tracer_->SpanMade();
}

Span::~Span() {
  // No lock is necessary: another thread that uses a span during its destruction breaks the API's
  // contract.
  if (!finished_) Finish();
  tracer_->SpanDestroyed();
}

void Span::StartRecording() noexcept {
  exporter::SpanHeader& header = writer_.header();
  header.trace_id_high = context_.trace_id_high();
  header.trace_id_low = context_.trace_id_low();
  header.span_id = context_.span_id();
  header.parent_span_id = context_.parent_span_id();
  header.random_trace_id = context_.random_trace_id();
  writer_.SetTraceState(context_.tracestate());
  recording_.store(true, std::memory_order_relaxed);
}

// This process does not report the span, because the process that started it has all of its data
// and reports it. The old writer is not destroyed, because its memory may already have been freed.
void Span::Renew() noexcept {
  new (&writer_) SpanWriter({});
  recording_.store(false, std::memory_order_relaxed);
}

void Span::AddLink(opentracing::SpanReferenceType type, const SpanContext& context) noexcept {
  if (!recording() || !context.has_ids()) return;
  const bool is_parent = context.span_id() == context_.parent_span_id() &&
                         context.trace_id_low() == context_.trace_id_low() &&
                         context.trace_id_high() == context_.trace_id_high();
  if (is_parent) return;
  using Type = SpanRecord::Link::Type;
  const bool child = type == opentracing::SpanReferenceType::ChildOfRef;
  writer_.AddLink({context.trace_id_high(), context.trace_id_low(), context.span_id(),
                   child ? Type::kChildOf : Type::kFollowsFrom});
}

void Span::RecordStart() noexcept {
  if (tracer_->ust(context_.sampled())) EmitSpanStart(*tracer_, context_, writer_);
}

const opentracing::Tracer& Span::tracer() const noexcept { return *tracer_; }

void Span::SetOperationName(opentracing::string_view name) noexcept {
  const Locked lock(this);
  if (!finished_) writer_.SetName(View(name));
}

void Span::SetTag(opentracing::string_view key, const Value& value) noexcept {
  const std::string_view name = View(key);
  if (recording() || name == kSamplingPriority) RecordTag(name, value);
}

void Span::RecordTag(std::string_view key, const Value& value) noexcept {
  const Locked lock(this);
  if (!finished_) TakeTag(key, value);
}

// Sets a tag. Handles the tags with a special meaning: OpenTracing semantic conventions, "Standard
// span tags".
void Span::TakeTag(std::string_view key, const Value& value) noexcept {
  if (key == kSamplingPriority) return SetPriority(value);
  if (key == "span.kind") {
    const SpanKind kind = SpanKindFromName(TextOf(value).value_or(""));
    writer_.header().kind = kind;
    if (kind != SpanKind::kLocal) return writer_.RemoveTag(key);
  }
  if (key == "error") writer_.header().error = !IsFalse(value);
  writer_.SetTag(key, value);
}

// Ignores a value that is not a number. A decision that was made by a debug flag stays.
void Span::SetPriority(const Value& value) noexcept {
  const std::optional<double> priority = NumberOf(value);
  if (!priority || std::isnan(*priority) || context_.decision() == propagation::Decision::kDebug)
    return;
  context_.set_decision(*priority > 0 ? propagation::Decision::kAccept
                                      : propagation::Decision::kDeny);
  if (context_.sampled() && !recording() && tracer_->Records(true)) StartRecording();
}

void Span::SetBaggageItem(opentracing::string_view key, opentracing::string_view value) noexcept {
  try {
    context_.SetBaggageItem(View(key), View(value));
  } catch (...) {
    // If there is no memory, the item is not set.
  }
}

std::string Span::BaggageItem(opentracing::string_view key) const noexcept {
  try {
    const auto extras = context_.extras();
    if (extras != nullptr) {
      for (const auto& item : extras->baggage) {
        if (item.first == View(key)) return item.second;
      }
    }
  } catch (...) {
  }
  return {};
}

template <class Fields>
void Span::LogAt(std::int64_t timestamp_ns, const Fields& fields) noexcept {
  const Locked lock(this);
  if (!finished_) AddLog(timestamp_ns, fields);
}

template <class Fields>
void Span::AddLog(std::int64_t timestamp_ns, const Fields& fields) noexcept {
  if (fields.begin() == fields.end()) return;
  const std::string_view entries = writer_.AddLog(timestamp_ns, fields);
  if (!entries.empty() && tracer_->ust(context_.sampled()) && UstListensToLogs()) {
    EmitSpanLog(context_, SeverityOf(fields), entries);
  }
}

void Span::Log(std::initializer_list<std::pair<opentracing::string_view, Value>> fields) noexcept {
  if (!recording()) return;
  const std::int64_t now = SteadyNow();
  LogAt(now + WallOffset(ThisThread(), now), fields);
}

void Span::Log(opentracing::SystemTime timestamp,
               std::initializer_list<std::pair<opentracing::string_view, Value>> fields) noexcept {
  if (recording()) LogAt(Nanoseconds(timestamp.time_since_epoch()), fields);
}

void Span::Log(opentracing::SystemTime timestamp,
               const std::vector<std::pair<opentracing::string_view, Value>>& fields) noexcept {
  if (recording()) LogAt(Nanoseconds(timestamp.time_since_epoch()), fields);
}

void Span::FinishWithOptions(const opentracing::FinishSpanOptions& options) noexcept {
  const Locked lock(this);
  if (finished_) return;
  if (recording()) RecordFinish(options);
  // Set after the last change to the writer and before the span is counted, so that the child of a
  // fork in between does not count it twice.
  finished_.store(true, std::memory_order_release);
  tracer_->SpanFinished(writer_, context_.sampled(), fork_generation_);
}

void Span::RecordFinish(const opentracing::FinishSpanOptions& options) noexcept {
  for (const auto& record : options.log_records) {
    AddLog(Nanoseconds(record.timestamp.time_since_epoch()), record.fields);
  }
  const std::int64_t asked = options.finish_steady_timestamp.time_since_epoch().count();
  exporter::SpanHeader& header = writer_.header();
  header.duration_ns =
      std::max<std::int64_t>(Difference(asked != 0 ? asked : SteadyNow(), start_steady_ns_), 0);
  header.debug = context_.decision() == propagation::Decision::kDebug;
  if (tracer_->ust(context_.sampled())) EmitSpanFinish(*tracer_, context_, writer_);
}

}  // namespace tracekin
