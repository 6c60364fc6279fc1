// SPDX-License-Identifier: Apache-2.0
// A tracer whose collector is in this process, for tests. They can inspect the exported spans, and
// the collector accepts, refuses or hangs on command.
//
//   RecordingTracer tracer;
//   tracer->StartSpan("a")->Finish();
//   EXPECT_EQ(tracer.OnlySpan().name, "a");
//
// Thread-safety: any thread may call any method.
#ifndef TRACEKIN_TESTS_SUPPORT_RECORDING_TRACER_H
#define TRACEKIN_TESTS_SUPPORT_RECORDING_TRACER_H

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exporter/destination.h"
#include "tests/support/collector.h"
#include "tracer/tracer_impl.h"

namespace tracekin {

inline void PrintTo(const Counters& counters, std::ostream* out) {
  for (const CounterInfo& info : kCounters) *out << info.name << ' ' << info.In(counters) << ' ';
}

namespace testing {

/// Returns whether the equation of counters.h holds. The caller knows `open`; the tracer computes
/// its own number.
inline bool Conserved(const Counters& counters, std::uint64_t open) {
  return counters.open == open &&
         counters.started + counters.adopted == open + counters.unsampled + counters.queued +
                                                    counters.in_flight + counters.spooled +
                                                    counters.exported + counters.TotalDropped();
}

/// The lines that the tracer has logged.
class LogLines {
 public:
  void Add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class RecordingTracer {
 public:
  static constexpr std::chrono::seconds kPatience{30};  // only ends a test that hangs

  explicit RecordingTracer(Options options = {}) {
    options.service_name = "test";
    auto logger = [lines = lines_](LogLevel, const std::string& line) { lines->Add(line); };
    const auto tracer_token = std::make_shared<int>();
    const auto exporter_token = std::make_shared<int>();
    tracer_alive_ = tracer_token;
    exporter_alive_ = exporter_token;
    options.logger = [logger, tracer_token](LogLevel level, const std::string& line) {
      logger(level, line);
    };
    auto exporter = std::make_shared<exporter::Exporter>(
        options.exporter, exporter::ResourceOf(options),
        [collector = collector_, exporter_token] {
          return std::make_unique<CollectorEncoder>(collector);
        },
        [collector = collector_] { return std::make_unique<CollectorTransport>(collector); },
        logger);
    std::string error;
    auto propagation = propagation::Propagation::Make(options.propagation.inject,
                                                      options.propagation.extract, &error);
    EXPECT_NE(propagation, nullptr) << error;
    tracer_ = {new TracerImpl(options, std::move(propagation), std::move(exporter)),
               TracerImpl::Retire};
  }

  Tracer* operator->() const { return tracer_.get(); }
  Tracer& operator*() const { return *tracer_; }
  const std::shared_ptr<Tracer>& shared() const { return tracer_; }
  Collector& collector() { return *collector_; }
  const LogLines& log() const { return *lines_; }

  /// Releases the pointer that MakeTracer would have returned.
  void Release() { tracer_.reset(); }

  bool TracerDestroyed() const { return tracer_alive_.expired(); }

  /// Returns whether the tracer and its exporter have both been destroyed.
  bool Destroyed() const { return TracerDestroyed() && exporter_alive_.expired(); }

  /// Returns all spans that the collector has accepted, once the queue is empty.
  std::vector<RecordedSpan> Spans() {
    EXPECT_TRUE(tracer_->Flush(kPatience));
    return collector_->spans();
  }

  RecordedSpan OnlySpan() {
    const std::vector<RecordedSpan> spans = Spans();
    EXPECT_EQ(spans.size(), 1u);
    return spans.empty() ? RecordedSpan{} : spans.back();
  }

 private:
  const std::shared_ptr<Collector> collector_ = std::make_shared<Collector>();
  const std::shared_ptr<LogLines> lines_ = std::make_shared<LogLines>();
  std::weak_ptr<int> tracer_alive_;
  std::weak_ptr<int> exporter_alive_;
  std::shared_ptr<Tracer> tracer_;
};

/// Returns options with which a span that cannot be sent immediately is given up.
inline Options TriesOnce() {
  Options options;
  options.exporter.retry_max_tries = 1;
  return options;
}

/// Returns options with a sampler of this type.
inline Options WithSampler(const std::string& type, bool parent_based = true) {
  Options options;
  options.sampler.type = type;
  options.sampler.parent_based = parent_based;
  return options;
}

}  // namespace testing
}  // namespace tracekin

#endif  // TRACEKIN_TESTS_SUPPORT_RECORDING_TRACER_H
