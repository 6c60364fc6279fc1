// Takes finished spans from the application's threads to a collector, on a thread of its own.
//
// The application's side is queue() and EnsureRunning(): neither wakes the thread, which polls. It
// encodes what it finds into batches and hands them to the transport, one at a time; while a batch
// is under way the queue fills, and when it is full spans are dropped and counted.
//
// Ownership: shared by the tracer and the exporter thread, so that a thread that a hanging disk
// keeps beyond the end of Close() still finds its things. Thread-safety: any method from any
// thread, but for AfterForkInChild().
#ifndef TRACEKIN_EXPORTER_EXPORTER_H
#define TRACEKIN_EXPORTER_EXPORTER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "exporter/encoder.h"
#include "exporter/span_queue.h"
#include "tracekin/options.h"
#include "tracekin/transport.h"

namespace tracekin {

class Exporter : public std::enable_shared_from_this<Exporter> {
 public:
  using Clock = std::chrono::steady_clock;
  using MakeEncoder = std::function<std::unique_ptr<Encoder>()>;
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;

  /// What became of the spans that the queue accepted; the rest is waiting or on its way.
  struct Totals {
    std::uint64_t exported = 0;
    std::uint64_t rejected = 0;
    std::uint64_t send_failed = 0;
    std::uint64_t closed = 0;
  };

  /// The two makers are called on the exporter thread, once a process; `logger` is not empty.
  Exporter(const ExporterOptions& options, std::string service_name, MakeEncoder make_encoder,
           MakeTransport make_transport, Logger logger);
  ~Exporter();

  SpanQueue& queue() { return queue_; }

  /// Starts the thread if this process has none: when the tracer is made, and again in the child of a
  /// fork. Not later, for a host may forbid itself new threads once it runs (HAProxy does, by
  /// RLIMIT_NPROC). If none can be had, spans try again, once a second at most, and that is logged by
  /// the thread that can be had in the end, or by Close(). Costs a load if there is one.
  void EnsureRunning() noexcept {
    if (worker_.load(std::memory_order_relaxed) == nullptr) Start();
  }

  /// See Tracer::Flush.
  bool Flush(std::chrono::milliseconds timeout) noexcept;

  /// See Tracer::Close. Spans that are pushed later are counted as closed by the next totals().
  void Close(std::chrono::milliseconds timeout) noexcept;

  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  Totals totals() noexcept;

  /// The parent goes on as if nothing had happened; the child forgets the parent's spans and
  /// connection, and starts a thread of its own if the parent had one. REQUIRES: called in the child
  /// of a fork, while it has one thread.
  void AfterForkInChild() noexcept;

 private:
  struct Worker;

  void Start() noexcept;
  void Run(Worker* worker) noexcept;
  void Loop(Worker* worker);
  void Add(Worker* worker, const char* span) noexcept;
  void Send(Worker* worker) noexcept;
  void Settle(Worker* worker, const SendResult& result) noexcept;
  void ReportDrops(Worker* worker) noexcept;
  void ReportFailedStarts() noexcept;
  void DiscardQueue() noexcept;
  template <class MakeMessage>
  void Log(LogLevel level, MakeMessage make_message) noexcept;

  const ExporterOptions options_;
  const std::string service_name_;
  const MakeEncoder make_encoder_;
  const MakeTransport make_transport_;
  const Logger logger_;
  SpanQueue queue_;

  std::atomic<Worker*> worker_{nullptr};
  std::atomic<bool> starting_{false};
  std::atomic<std::int64_t> next_start_ns_{0};
  std::atomic<std::uint32_t> failed_starts_{0};  // not reported yet
  std::atomic<bool> closed_{false};
  std::mutex discard_mutex_;  // one reader of the queue at a time, also after the thread's end

  struct {
    std::atomic<std::uint64_t> exported{0};
    std::atomic<std::uint64_t> rejected{0};
    std::atomic<std::uint64_t> send_failed{0};
    std::atomic<std::uint64_t> closed{0};
  } totals_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_EXPORTER_H
