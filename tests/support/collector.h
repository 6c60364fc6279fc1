// SPDX-License-Identifier: Apache-2.0
// A collector in memory, for tests of code that sends spans to a collector.
//
// Thread-safety: any thread may call any method of the collector. The encoder and the transport
// follow the rules of their interfaces.
#ifndef TRACEKIN_TESTS_SUPPORT_COLLECTOR_H
#define TRACEKIN_TESTS_SUPPORT_COLLECTOR_H

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "exporter/encoding/encoder.h"
#include "exporter/encoding/zipkin_model.h"
#include "tracekin/transport.h"

namespace tracekin::testing {

/// A span that owns its text. It contains the data that is sent to Zipkin, and the data that only
/// the record contains.
struct RecordedSpan {
  struct Typed {
    std::string key;
    std::string value;
    ValueType type;

    bool operator==(const Typed& other) const {
      return std::tie(key, value, type) == std::tie(other.key, other.value, other.type);
    }
  };

  RecordedSpan() = default;
  RecordedSpan(const SpanRecord& span, const SpanRecord& record)
      : trace_id_high(span.trace_id_high),
        trace_id_low(span.trace_id_low),
        span_id(span.span_id),
        parent_span_id(span.parent_span_id),
        start_ns(span.start_ns),
        duration_ns(span.duration_ns),
        kind(span.kind),
        debug(span.debug),
        shared(span.shared),
        name(span.name),
        service(span.local.service_name),
        ipv4(span.local.ipv4),
        ipv6(span.local.ipv6),
        port(span.local.port),
        remote_service(span.remote.service_name),
        remote_ipv4(span.remote.ipv4),
        remote_ipv6(span.remote.ipv6),
        remote_port(span.remote.port) {
    for (const auto& tag : span.tags) tags.emplace_back(tag.key, tag.value);
    for (const auto& log : span.annotations) logs.emplace_back(log.timestamp_ns, log.text);
    for (const auto& tag : record.tags) typed_tags.push_back(Own(tag));
    for (const auto& log : record.annotations) {
      log_texts.emplace_back(log.text);
      for (const auto& field : log.fields) log_fields.push_back(Own(field));
    }
    links = record.links;
    trace_state = record.trace_state;
    random_trace_id = record.random_trace_id;
    status = record.status;
    status_message = record.status_message;
  }

  static Typed Own(const SpanRecord::Tag& tag) {
    return {std::string(tag.key), std::string(tag.value), tag.type};
  }

  /// Returns the tag's value, if it is set, or "(twice)" if it is set more than once.
  std::optional<std::string> Tag(std::string_view key) const {
    std::optional<std::string> found;
    for (const auto& tag : tags) {
      if (tag.first != key) continue;
      if (found) return "(twice)";
      found = tag.second;
    }
    return found;
  }

  std::uint64_t trace_id_high = 0;
  std::uint64_t trace_id_low = 0;
  std::uint64_t span_id = 0;
  std::uint64_t parent_span_id = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  SpanKind kind = SpanKind::kLocal;
  bool debug = false;
  bool shared = false;
  std::string name;
  std::string service;
  std::string ipv4;
  std::string ipv6;
  std::uint16_t port = 0;
  std::string remote_service;
  std::string remote_ipv4;
  std::string remote_ipv6;
  std::uint16_t remote_port = 0;
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<std::pair<std::int64_t, std::string>> logs;

  // These are only in the record:
  std::vector<Typed> typed_tags;
  std::vector<std::string> log_texts;
  std::vector<Typed> log_fields;  // the fields of all logs
  std::vector<SpanRecord::Link> links;
  std::string trace_state;
  bool random_trace_id = false;
  SpanStatus status = SpanStatus::kUnset;
  std::string status_message;
};

class Collector {
 public:
  enum class Answer {
    kAccept,
    kReject,
    kFail,
    kThrow,
    kHang,   // hangs until the deadline, or an earlier one set by Interrupt()
    kStuck,  // hangs like a disk, and ignores the deadline until the answer changes
  };

  void set_answer(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = answer;
    changed_.notify_all();
  }

  /// Sets a function that each Send() calls before it answers.
  void set_on_send(std::function<void()> on_send) {
    const std::lock_guard lock(mutex_);
    on_send_ = std::move(on_send);
  }

  /// Returns the spans of the accepted batches.
  std::vector<RecordedSpan> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }

  /// Returns the number of spans of each Send().
  std::vector<std::size_t> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

  /// Waits until `count` batches have arrived.
  void AwaitBatches(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() >= count; });
  }

 private:
  friend class CollectorTransport;
  friend class CollectorEncoder;
  using TimePoint = Transport::Clock::time_point;

  SendResult Send(TimePoint deadline) {
    std::unique_lock lock(mutex_);
    batches_.push_back(encoded_.size());
    changed_.notify_all();
    if (const auto on_send = on_send_) {
      lock.unlock();
      on_send();
      lock.lock();
    }
    const auto hangs = [&] { return answer_ == Answer::kHang && Now() < Deadline(deadline); };
    while (hangs()) changed_.wait_until(lock, Deadline(deadline));
    changed_.wait(lock, [&] { return answer_ != Answer::kStuck; });
    std::vector<RecordedSpan> batch = std::exchange(encoded_, {});
    switch (answer_) {
      case Answer::kAccept:
        for (auto& span : batch) spans_.push_back(std::move(span));
        return {SendStatus::kAccepted, {}};
      case Answer::kReject:
        return {SendStatus::kRejected, "refused"};
      case Answer::kThrow:
        throw std::bad_alloc();
      default:
        return {SendStatus::kFailed, "failed"};
    }
  }

  void Interrupt(TimePoint deadline) {
    const std::lock_guard lock(mutex_);
    interrupt_ = std::min(interrupt_, deadline);
    changed_.notify_all();
  }

  static TimePoint Now() { return Transport::Clock::now(); }
  TimePoint Deadline(TimePoint deadline) const { return std::min(deadline, interrupt_); }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Answer answer_ = Answer::kAccept;
  TimePoint interrupt_ = TimePoint::max();
  std::function<void()> on_send_;
  std::vector<RecordedSpan> encoded_;
  std::vector<RecordedSpan> spans_;
  std::vector<std::size_t> batches_;
};

/// Encodes each span as one byte, because only the records matter.
class CollectorEncoder final : public exporter::Encoder {
 public:
  explicit CollectorEncoder(std::shared_ptr<Collector> collector)
      : collector_(std::move(collector)) {}

  std::string_view content_type() const override { return "test"; }
  void Begin(const Resource& resource, std::string* body) override {
    EXPECT_EQ(*body, "");
    model_.set_resource(&resource);
    const std::lock_guard lock(collector_->mutex_);
    collector_->encoded_.clear();
  }
  void Add(const SpanRecord& span, std::string* body) override {
    body->push_back('.');
    const std::lock_guard lock(collector_->mutex_);
    collector_->encoded_.emplace_back(model_.Translate(span), span);
  }
  void End(std::size_t spans, std::string* body) override { EXPECT_EQ(spans, body->size()); }

 private:
  exporter::ZipkinModel model_;
  const std::shared_ptr<Collector> collector_;
};

class CollectorTransport final : public Transport {
 public:
  explicit CollectorTransport(std::shared_ptr<Collector> collector)
      : collector_(std::move(collector)) {}

  SendResult Send(const std::string& /*body*/, Clock::time_point deadline) override {
    return collector_->Send(deadline);
  }
  void Interrupt(Clock::time_point deadline) noexcept override { collector_->Interrupt(deadline); }
  void AbandonAfterFork() noexcept override {}

 private:
  const std::shared_ptr<Collector> collector_;
};

}  // namespace tracekin::testing

#endif  // TRACEKIN_TESTS_SUPPORT_COLLECTOR_H
