// SPDX-License-Identifier: Apache-2.0
// Sends finished spans from the application's threads to a collector, on two threads of its own.
//
// The application uses queue() and EnsureRunning(), and neither wakes a thread. The exporter thread
// polls the queue and decides what is sent when (delivery.h). The sender thread encodes and sends
// (sender.h). While nothing can be sent, spans wait in the spool, or in the queue if there is no
// spool. When that is full, spans are dropped and counted.
//
// Ownership: shared by the tracer and the two threads, so that a thread that is blocked by a
// hanging disk after the end of Close() still finds its data. Thread-safety: any method may be
// called from any thread, except for AfterForkInChild().
#ifndef TRACEKIN_EXPORTER_PIPELINE_EXPORTER_H
#define TRACEKIN_EXPORTER_PIPELINE_EXPORTER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "exporter/pipeline/sender.h"
#include "exporter/pipeline/span_queue.h"
#include "exporter/pipeline/totals.h"
#include "tracekin/options.h"

namespace tracekin::exporter {

class Exporter : public std::enable_shared_from_this<Exporter> {
 public:
  using Clock = std::chrono::steady_clock;
  using MakeEncoder = Sender::MakeEncoder;
  using MakeTransport = Sender::MakeTransport;

  /// Calls the two makers on the sender thread, once per process, or again for each batch as long
  /// as they throw. REQUIRES: `logger` is not empty.
  Exporter(const ExporterOptions& options, const Resource& resource, MakeEncoder make_encoder,
           MakeTransport make_transport, Logger logger);
  ~Exporter();

  /// Makes the exporter thread call `on_round` after each of its rounds, about fifty times per
  /// second, and with `last` set before it ends. The returned string is logged as a warning unless
  /// it is "". REQUIRES: no thread was started yet.
  void set_on_round(std::function<std::string(bool last)> on_round) {
    on_round_ = std::move(on_round);
  }

  /// The hooks of another thread that the transport needs, besides the two threads of the exporter.
  struct HelperThread {
    std::function<void()> start;  // throws std::system_error if no thread can be started
    std::function<void()> stop;
    // Waits until the thread has done its work for the first time, but not beyond `deadline`.
    std::function<void(Clock::time_point deadline)> await_ready;
    std::function<void()> after_fork_in_child;  // called while the child has one thread
  };

  /// Starts and stops `helper` together with the exporter's own threads. REQUIRES: all of its hooks
  /// are set, no hook throws except as described above, and no thread was started yet.
  void set_helper(HelperThread helper) { helper_ = std::move(helper); }

  /// If `eager` is true, makes the transport as soon as the threads run, and not for the first
  /// batch. A transport that starts its own threads requires this. REQUIRES: no thread was started
  /// yet.
  void set_eager_transport(bool eager) { eager_transport_ = eager; }

  /// Sets what log messages call the place that spans are sent to. REQUIRES: as set_on_round().
  void set_place(std::string place) { place_ = std::move(place); }

  /// Waits until what needs the host's file system or new threads has been done for the first time,
  /// or could not be: the collector's name is resolved, and librdkafka has started its threads. A
  /// second at most; not at all if there is neither.
  void AwaitReady() noexcept;

  /// Returns the resource that the constructor received, encoded as entries (span_bytes.h).
  std::string_view resource() const { return resource_; }

  SpanQueue& queue() { return queue_; }

  /// Starts the threads if they do not run in this process. Called when the tracer is made, and
  /// again in the child of a fork. Waiting until the first span would be too late, because a host
  /// may forbid itself new threads once it runs (HAProxy does, with RLIMIT_NPROC). If the threads
  /// cannot be started, later spans try again, but not more than once per second. The failures are
  /// logged by the threads that start eventually, or by Close(). Costs one load if the threads run.
  void EnsureRunning() noexcept {
    if (worker_.load(std::memory_order_relaxed) == nullptr) Start();
  }

  /// See Tracer::Flush.
  bool Flush(std::chrono::milliseconds timeout) noexcept;

  /// See Tracer::Close. Spans that are pushed later are counted as closed by the next totals().
  void Close(std::chrono::milliseconds timeout) noexcept {
    BeginClose(timeout);
    AwaitEnd();
  }

  /// The two halves of Close(), for a caller that closes several exporters at the same time.
  /// BeginClose() does not wait. AwaitEnd() waits for the spans until the deadline that the first
  /// call of BeginClose() has set. Then it waits up to 1.2 s until the transport has ended its own
  /// threads. Returns whether all threads have ended.
  void BeginClose(std::chrono::milliseconds timeout) noexcept;
  bool AwaitEnd() noexcept;

  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  /// Returns the counters that the exporter maintains: `queued`, `queue_full` and those of
  /// ExporterCounts.
  Counters totals() noexcept;

  /// Discards the parent's spans and connection in the child, and starts new threads if the parent
  /// had any. The parent is not affected. REQUIRES: called in the child of a fork, while it has
  /// only one thread.
  void AfterForkInChild() noexcept;

 private:
  struct Worker;

  void Start() noexcept;
  Worker* StartThreads();
  void Run(Worker* worker) noexcept;
  bool Step(Worker* worker) noexcept;
  bool NothingLeft(const Worker* worker) const;
  bool Flushed(const Worker* worker) const;
  bool TakeOutcome(Worker* worker, Clock::time_point now) noexcept;
  void TakeSpans(Worker* worker, bool asked, Clock::time_point now) noexcept;
  void Send(Worker* worker, bool urgent, Clock::time_point now,
            Clock::time_point deadline) noexcept;
  void GiveUp(Worker* worker, Clock::time_point now) noexcept;
  void LogState(Worker* worker, bool last) noexcept;
  void LogCollector(Worker* worker) noexcept;
  void LogFailedStarts() noexcept;
  void LogStuck() noexcept;
  void DiscardQueue() noexcept;
  std::string WithPlace(const std::string& error) const;
  template <class MakeMessage>
  void Log(LogLevel level, MakeMessage make_message) noexcept;

  const ExporterOptions options_;
  const std::string resource_;  // encoded as entries (span_bytes.h)
  const MakeEncoder make_encoder_;
  const MakeTransport make_transport_;
  const Logger logger_;
  std::string place_;
  std::function<std::string(bool last)> on_round_;
  std::optional<HelperThread> helper_;
  bool eager_transport_ = false;
  SpanQueue queue_;

  std::atomic<Worker*> worker_{nullptr};
  std::atomic<bool> starting_{false};
  std::atomic<std::int64_t> next_start_ns_{0};
  std::atomic<std::uint32_t> failed_starts_{0};  // failures that were not reported yet
  std::atomic<bool> logging_{false};             // true while a thread is inside the logger
  std::atomic<bool> closed_{false};
  std::mutex discard_mutex_;  // one reader of the queue at a time, even after the thread's end

  ExporterCounts counts_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_EXPORTER_H
