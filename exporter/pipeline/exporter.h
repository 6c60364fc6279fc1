// SPDX-License-Identifier: Apache-2.0
// Takes finished spans from the application's threads to a collector, on two threads of its own.
//
// The application's side is queue() and EnsureRunning(): neither wakes a thread. The exporter thread
// polls the queue and decides what is sent when (delivery.h); the sender thread encodes and sends
// (sender.h). While nothing can be sent spans wait in the spool, if there is one, else in the queue,
// and when that is full spans are dropped and counted.
//
// Ownership: shared by the tracer and the two threads, so that a thread that a hanging disk keeps
// beyond the end of Close() still finds its things. Thread-safety: any method from any thread, but for
// AfterForkInChild().
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
#include <utility>

#include "exporter/pipeline/sender.h"
#include "exporter/pipeline/span_queue.h"
#include "exporter/pipeline/totals.h"
#include "tracekin/options.h"

namespace tracekin {

class Exporter : public std::enable_shared_from_this<Exporter> {
 public:
  using Clock = std::chrono::steady_clock;
  using MakeEncoder = Sender::MakeEncoder;
  using MakeTransport = Sender::MakeTransport;

  /// The two makers are called on the sender thread, once a process, or again for each batch as long as
  /// they throw; `logger` is not empty.
  Exporter(const ExporterOptions& options, std::string service_name, MakeEncoder make_encoder,
           MakeTransport make_transport, Logger logger);
  ~Exporter();

  /// Has `on_round` called on the exporter thread after each of its rounds, some fifty times a
  /// second, and the `last` time before it ends. What it returns is logged as a warning, unless it
  /// is "". REQUIRES: no thread was started yet.
  void set_on_round(std::function<std::string(bool last)> on_round) {
    on_round_ = std::move(on_round);
  }

  /// A thread that the transport needs beside the exporter's own two, as a set of hooks.
  struct HelperThread {
    std::function<void()> start;  // throws std::system_error if no thread can be had
    std::function<void()> stop;
    // Waits until the thread has done its work for the first time, but not beyond `deadline`.
    std::function<void(Clock::time_point deadline)> await_ready;
    std::function<void()> after_fork_in_child;  // called while the child has one thread
  };

  /// Has `helper` started and stopped together with the exporter's own threads. REQUIRES: all of its
  /// hooks are set, and none throws unless it says so; as set_on_round().
  void set_helper(HelperThread helper) { helper_ = std::move(helper); }

  /// Waits until what needs the host's file system or new threads has been done for the first time, or
  /// could not be: the collector's name is resolved, and librdkafka has started its threads. A second at
  /// most; not at all if there is neither.
  void AwaitReady() noexcept;

  SpanQueue& queue() { return queue_; }

  /// Starts the threads if this process has none: when the tracer is made, and again in the child of a
  /// fork. Not later, for a host may forbid itself new threads once it runs (HAProxy does, by
  /// RLIMIT_NPROC). If none can be had, spans try again, once a second at most, and that is logged by
  /// the threads that can be had in the end, or by Close(). Costs a load if there are any.
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

  /// The two halves of Close(), for a caller that closes several at once. The first does not wait.
  /// The second waits for the spans until the time that the first call of BeginClose() has set, and
  /// then 1.2 seconds at most until the transport has ended its own threads. It returns whether all
  /// threads have ended.
  void BeginClose(std::chrono::milliseconds timeout) noexcept;
  bool AwaitEnd() noexcept;

  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  ExporterTotals totals() noexcept;

  /// The parent goes on as if nothing had happened; the child forgets the parent's spans and
  /// connection, and starts threads of its own if the parent had any. REQUIRES: called in the child of
  /// a fork, while it has one thread.
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
  void Report(Worker* worker, bool last) noexcept;
  void ReportCollector(Worker* worker) noexcept;
  void ReportFailedStarts() noexcept;
  void ReportStuck() noexcept;
  void DiscardQueue() noexcept;
  template <class MakeMessage>
  void Log(LogLevel level, MakeMessage make_message) noexcept;

  const ExporterOptions options_;
  const std::string service_name_;
  const MakeEncoder make_encoder_;
  const MakeTransport make_transport_;
  const Logger logger_;
  std::function<std::string(bool last)> on_round_;
  std::optional<HelperThread> helper_;
  SpanQueue queue_;

  std::atomic<Worker*> worker_{nullptr};
  std::atomic<bool> starting_{false};
  std::atomic<std::int64_t> next_start_ns_{0};
  std::atomic<std::uint32_t> failed_starts_{0};  // not reported yet
  std::atomic<bool> logging_{false};             // whether a thread is inside of the logger
  std::atomic<bool> closed_{false};
  std::mutex discard_mutex_;  // one reader of the queue at a time, also after the thread's end

  ExporterCounts counts_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_EXPORTER_H
