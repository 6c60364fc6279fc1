// SPDX-License-Identifier: Apache-2.0
// Records finished spans, for the tests of a program's own instrumentation:
//
//   tracekin::SpanRecorder recorder;
//   PlaceOrder(*recorder.tracer());                          // the code under test
//   const auto spans = recorder.FinishedSpans();
//   ASSERT_EQ(spans.size(), 1u);
//   EXPECT_EQ(spans[0].name, "order");
//   EXPECT_EQ(tracekin::TagOf(spans[0], "customer"), "ann");
//
// The tracer is a real one, so the spans are those that a collector would get. This header is not
// part of libtracekin.so: it uses ExporterOptions::on_span, as any program can.
//
// Thread-safety: any thread may call any method at any time. A child of a fork must not use the
// recorder of its parent.
#ifndef TRACEKIN_TESTING_H
#define TRACEKIN_TESTING_H

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracekin/options.h"
#include "tracekin/span_record.h"
#include "tracekin/tracer.h"

namespace tracekin {

class SpanRecorder {
 public:
  /// Makes a tracer with `options` and receives its spans. Does not read the environment. Replaces
  /// an empty service name by "test". Throws std::invalid_argument with the reason if the options
  /// are not valid.
  explicit SpanRecorder(Options options = {}) : spans_(std::make_shared<Spans>()) {
    if (options.service_name.empty()) options.service_name = "test";
    options.exporter.on_span = [spans = spans_](const Resource&, const SpanRecord& span) {
      spans->Add(span);
    };
    std::string error;
    tracer_ = MakeTracer(options, &error);
    if (tracer_ == nullptr) throw std::invalid_argument(error);
  }

  SpanRecorder(const SpanRecorder&) = delete;
  SpanRecorder& operator=(const SpanRecorder&) = delete;

  /// Never null. The tracer may outlive the recorder.
  const std::shared_ptr<Tracer>& tracer() const { return tracer_; }

  /// Returns the sampled spans that have finished since the construction or the last Clear(). The
  /// spans of one thread are in the order in which they finished. Their text is valid until Clear()
  /// or the end of the recorder. Waits until the exporter has delivered the spans, and throws
  /// std::runtime_error if that takes longer than a minute.
  std::vector<SpanRecord> FinishedSpans() {
    Await();
    const std::lock_guard<std::mutex> lock(spans_->mutex);
    return spans_->records;
  }

  /// Forgets all spans that have finished. Waits and throws like FinishedSpans().
  void Clear() {
    Await();
    const std::lock_guard<std::mutex> lock(spans_->mutex);
    spans_->records.clear();
    spans_->texts.clear();
    spans_->fields.clear();
  }

 private:
  // Copies records with all that they borrow. The tracer shares it, because it may live longer.
  struct Spans {
    std::string_view Keep(std::string_view text) { return texts.emplace_back(text); }

    void Keep(SpanRecord::Tag* tag) {
      tag->key = Keep(tag->key);
      tag->value = Keep(tag->value);
    }

    void Keep(Endpoint* endpoint) {
      for (std::string_view* text : {&endpoint->service_name, &endpoint->ipv4, &endpoint->ipv6}) {
        *text = Keep(*text);
      }
    }

    void Keep(SpanRecord::Fields* borrowed) {
      auto& kept = fields.emplace_back(borrowed->begin(), borrowed->end());
      for (SpanRecord::Tag& field : kept) Keep(&field);
      borrowed->first = kept.data();
    }

    void Add(const SpanRecord& span) {
      const std::lock_guard<std::mutex> lock(mutex);
      SpanRecord& record = records.emplace_back(span);
      for (std::string_view* text : {&record.status_message, &record.trace_state, &record.name}) {
        *text = Keep(*text);
      }
      Keep(&record.local);
      Keep(&record.remote);
      for (SpanRecord::Tag& tag : record.tags) Keep(&tag);
      for (SpanRecord::Annotation& log : record.annotations) {
        log.text = Keep(log.text);
        Keep(&log.fields);
      }
    }

    std::mutex mutex;
    std::vector<SpanRecord> records;
    std::deque<std::string> texts;
    std::deque<std::vector<SpanRecord::Tag>> fields;
  };

  // Flush() also returns false if other threads have finished more spans in the meantime.
  void Await() const {
    constexpr std::chrono::minutes kLongest(1);
    const auto end = std::chrono::steady_clock::now() + kLongest;
    if (!tracer_->Flush(kLongest) && std::chrono::steady_clock::now() >= end) {
      throw std::runtime_error("SpanRecorder: the exporter thread does not deliver its spans");
    }
  }

  const std::shared_ptr<Spans> spans_;
  std::shared_ptr<Tracer> tracer_;
};

/// Returns the value of the tag `key`, or nothing if the span does not have it.
inline std::optional<std::string_view> TagOf(const SpanRecord& span, std::string_view key) {
  for (const SpanRecord::Tag& tag : span.tags) {
    if (tag.key == key) return tag.value;
  }
  return std::nullopt;
}

}  // namespace tracekin

#endif  // TRACEKIN_TESTING_H
