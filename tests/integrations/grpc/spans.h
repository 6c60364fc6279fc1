// SPDX-License-Identifier: Apache-2.0
// Stores finished spans of a MockTracer in memory, and has helpers to examine them.
#ifndef TRACEKIN_TESTS_INTEGRATIONS_GRPC_SPANS_H
#define TRACEKIN_TESTS_INTEGRATIONS_GRPC_SPANS_H

#include <opentracing/mocktracer/tracer.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

// Defined because gtest finds MockTracer's operator<<, which is declared but not exported.
namespace opentracing {
BEGIN_OPENTRACING_ABI_NAMESPACE
namespace mocktracer {
inline void PrintTo(const SpanData& span, std::ostream* out) {
  *out << span.operation_name << ' ' << span.span_context.span_id;
  for (const auto& reference : span.references) *out << " of " << reference.span_id;
}
}  // namespace mocktracer
END_OPENTRACING_ABI_NAMESPACE
}  // namespace opentracing

namespace tracekin::testing {

using opentracing::mocktracer::SpanData;

/// Outlives the tracers that write to it. Thread-safe.
class SpanLog {
 public:
  void Add(SpanData&& span) {
    const std::lock_guard lock(mutex_);
    spans_.push_back(std::move(span));
    changed_.notify_all();
  }

  /// Returns all finished spans once there are `count` of them or ten seconds have passed.
  std::vector<SpanData> Wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(10), [&] { return spans_.size() >= count; });
    return spans_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SpanData> spans_;
};

inline std::shared_ptr<opentracing::Tracer> MakeTracer(
    std::shared_ptr<SpanLog> log, opentracing::mocktracer::PropagationOptions propagation = {}) {
  struct Recorder : opentracing::mocktracer::Recorder {
    explicit Recorder(std::shared_ptr<SpanLog> spans) : log(std::move(spans)) {}
    void RecordSpan(SpanData&& span) noexcept override { log->Add(std::move(span)); }
    std::shared_ptr<SpanLog> log;
  };
  opentracing::mocktracer::MockTracerOptions options;
  options.recorder = std::make_unique<Recorder>(std::move(log));
  options.propagation_options = std::move(propagation);
  return std::make_shared<opentracing::mocktracer::MockTracer>(std::move(options));
}

/// Returns `value` as a string.
inline std::string Text(const opentracing::Value& value) {
  if (value.is<std::string>()) return value.get<std::string>();
  if (value.is<const char*>()) return value.get<const char*>();
  if (value.is<opentracing::string_view>()) return value.get<opentracing::string_view>();
  if (value.is<bool>()) return value.get<bool>() ? "true" : "false";
  return "neither text nor bool";
}

/// Returns the value of the tag as a string, or "" if the span does not have it.
inline std::string Tag(const SpanData& span, const std::string& key) {
  const auto tag = span.tags.find(key);
  return tag == span.tags.end() ? "" : Text(tag->second);
}

inline std::vector<SpanData> OfKind(const std::vector<SpanData>& spans, const std::string& kind) {
  std::vector<SpanData> result;
  for (const auto& span : spans) {
    if (Tag(span, "span.kind") == kind) result.push_back(span);
  }
  return result;
}

inline bool IsChildOf(const SpanData& child, const SpanData& parent) {
  return child.references.size() == 1 &&
         child.references[0].reference_type == opentracing::SpanReferenceType::ChildOfRef &&
         child.references[0].trace_id == parent.span_context.trace_id &&
         child.references[0].span_id == parent.span_context.span_id &&
         child.span_context.trace_id == parent.span_context.trace_id;
}

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_INTEGRATIONS_GRPC_SPANS_H
