#include "exporter/exporter.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace tracekin {

namespace {

using std::chrono::milliseconds;

// How often the thread looks for full chunks. At a million spans of 300 bytes a second this lets 6
// MB come together, well within the default queue; an idle process pays fifty short wake-ups a
// second.
constexpr milliseconds kPollInterval{20};
// A batch is sent at this size even if it has not batch_spans spans yet. Zipkin takes 10 MiB.
constexpr std::size_t kBatchBytes = 1 << 20;
constexpr std::chrono::seconds kReportInterval{10};
constexpr std::int64_t kStartRetryNs = 1'000'000'000;
constexpr std::chrono::hours kLongestWait{24 * 365};  // what is added to a clock must not overflow

std::int64_t Now() { return Exporter::Clock::now().time_since_epoch().count(); }

std::string Plural(std::uint64_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

// What one process's exporter thread works with. The child of a fork leaves its parent's Worker as
// it is, for locks and memory may be in any state, and makes another.
struct Exporter::Worker {
  // Shared with Flush and Close:
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable progress;
  bool stop = false;
  bool ended = false;
  Clock::time_point send_deadline = Clock::time_point::max();
  std::uint64_t flushes_asked = 0;
  std::uint64_t flushes_done = 0;
  std::atomic<Transport*> transport{nullptr};
  std::thread thread;

  // The thread's own:
  std::unique_ptr<Encoder> encoder;
  SpanDecoder decoder;
  std::string body;
  std::size_t spans = 0;  // in `body`
  Clock::time_point next_report = Clock::time_point::min();
  std::uint64_t reported_full = 0;
  std::uint64_t reported_rejected = 0;
  std::uint64_t reported_failed = 0;
  std::string last_error;

  explicit Worker(std::string_view service) : decoder(service) {}
  ~Worker() { delete transport.load(); }
};

Exporter::Exporter(const ExporterOptions& options, std::string service_name,
                   MakeEncoder make_encoder, MakeTransport make_transport, Logger logger)
    : options_(options),
      service_name_(std::move(service_name)),
      make_encoder_(std::move(make_encoder)),
      make_transport_(std::move(make_transport)),
      logger_(std::move(logger)),
      queue_(options.queue_spans, options.queue_bytes) {}

// Nobody refers to the exporter any more, its thread included: that has ended, or was never there.
Exporter::~Exporter() {
  Worker* worker = worker_.load();
  if (worker == nullptr) return;
  if (worker->thread.joinable()) worker->thread.detach();
  delete worker;
}

// `make_message` returns the message.
template <class MakeMessage>
void Exporter::Log(LogLevel level, MakeMessage make_message) noexcept {
  try {
    logger_(level, make_message());
  } catch (...) {
    // A logger that fails, or the lack of memory, is no reason to take the host down.
  }
}

void Exporter::Start() noexcept {
  if (closed() || Now() < next_start_ns_.load(std::memory_order_relaxed)) return;
  // In one order with Close(), which sets closed_ and then reads starting_: one of us sees the other.
  if (starting_.exchange(true)) return;
  if (worker_.load(std::memory_order_acquire) == nullptr && !closed_.load()) {
    // The host's signals are the host's business: none is to be handled on this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      auto worker = std::make_unique<Worker>(service_name_);
      worker->thread =
          std::thread([self = shared_from_this(), raw = worker.get()] { self->Run(raw); });
      worker_.store(worker.release(), std::memory_order_release);
    } catch (const std::exception&) {
      next_start_ns_.store(Now() + kStartRetryNs, std::memory_order_relaxed);
      failed_starts_.fetch_add(1, std::memory_order_relaxed);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  starting_.store(false, std::memory_order_release);
}

void Exporter::Run(Worker* worker) noexcept {
  pthread_setname_np(pthread_self(), "tracekin");
  ReportFailedStarts();
  try {
    worker->encoder = make_encoder_();
    worker->transport.store(make_transport_().release());
    Loop(worker);
  } catch (const std::exception& error) {
    Log(LogLevel::kError,
        [&] { return std::string("the exporter thread gives up: ") + error.what(); });
  }
  const std::lock_guard<std::mutex> lock(worker->mutex);
  worker->ended = true;
  worker->progress.notify_all();
}

void Exporter::Loop(Worker* worker) {
  const milliseconds interval{options_.flush_interval_ms};
  Clock::time_point next_flush = Clock::now() + interval;
  for (;;) {
    std::unique_lock<std::mutex> lock(worker->mutex);
    worker->wake.wait_for(lock, std::min(kPollInterval, interval), [worker] {
      return worker->stop || worker->flushes_asked != worker->flushes_done;
    });
    const bool stop = worker->stop;
    const std::uint64_t flush = worker->flushes_asked;
    const bool asked = stop || flush != worker->flushes_done;
    lock.unlock();

    const bool due = asked || Clock::now() >= next_flush;
    queue_.Drain(due ? SpanQueue::What::kEverything : SpanQueue::What::kFullChunks,
                 [this, worker](const char* span) { Add(worker, span); });
    if (due) {
      Send(worker);
      next_flush = Clock::now() + interval;
    }
    if (stop || Clock::now() >= worker->next_report) ReportDrops(worker);

    lock.lock();
    worker->flushes_done = flush;
    worker->progress.notify_all();
    if (stop) return;
  }
}

// Never throws: a span that memory does not suffice for is one that could not be sent.
void Exporter::Add(Worker* worker, const char* span) noexcept {
  std::string& body = worker->body;
  const std::size_t before = body.size();
  try {
    if (worker->spans == 0) worker->encoder->Begin(&body);
    worker->encoder->Add(worker->decoder.Decode(span), &body);
    ++worker->spans;
  } catch (...) {
    body.resize(worker->spans == 0 ? 0 : before);
    totals_.send_failed.fetch_add(1, std::memory_order_release);
  }
  if (worker->spans >= options_.batch_spans || body.size() >= kBatchBytes) Send(worker);
}

void Exporter::Send(Worker* worker) noexcept {
  if (worker->spans == 0) return;
  const Clock::time_point now = Clock::now();
  Clock::time_point deadline = now + milliseconds(options_.timeout_ms);
  {
    const std::lock_guard<std::mutex> lock(worker->mutex);
    deadline = std::min(deadline, worker->send_deadline);
  }
  if (now >= deadline) {
    totals_.closed.fetch_add(worker->spans, std::memory_order_release);
  } else {
    SendResult result{SendStatus::kFailed};
    try {
      worker->encoder->End(worker->spans, &worker->body);
      result = worker->transport.load()->Send(worker->body, worker->spans, deadline);
    } catch (...) {
      result.status = SendStatus::kFailed;
    }
    Settle(worker, result);
  }
  worker->body.clear();
  worker->spans = 0;
}

void Exporter::Settle(Worker* worker, const SendResult& result) noexcept {
  const std::size_t spans = worker->spans;
  switch (result.status) {
    case SendStatus::kAccepted:
      totals_.exported.fetch_add(spans, std::memory_order_release);
      return;
    case SendStatus::kRejected:
    case SendStatus::kTooLarge:
      totals_.rejected.fetch_add(spans, std::memory_order_release);
      break;
    case SendStatus::kFailed:
      totals_.send_failed.fetch_add(spans, std::memory_order_release);
      break;
  }
  try {
    worker->last_error = result.message;
  } catch (...) {
    worker->last_error.clear();
  }
}

// Says what was dropped since the last time, and why; at most once in kReportInterval, and at the
// end.
void Exporter::ReportDrops(Worker* worker) noexcept {
  const std::uint64_t full = queue_.refused() - worker->reported_full;
  const std::uint64_t rejected = totals_.rejected.load() - worker->reported_rejected;
  const std::uint64_t failed = totals_.send_failed.load() - worker->reported_failed;
  if (full + rejected + failed == 0) return;
  worker->next_report = Clock::now() + kReportInterval;
  worker->reported_full += full;
  worker->reported_rejected += rejected;
  worker->reported_failed += failed;

  Log(LogLevel::kWarning, [&] {
    std::string message = "dropped " + Plural(full + rejected + failed, "span") + ':';
    if (full != 0) message += " queue_full " + std::to_string(full);
    if (rejected != 0) message += " rejected " + std::to_string(rejected);
    if (failed != 0) message += " send_failed " + std::to_string(failed);
    if (rejected + failed != 0 && !worker->last_error.empty()) {
      message += " (last error: " + worker->last_error + ')';
    }
    return message;
  });
}

// Not where it happens: that is a thread of the application, in the midst of a span.
void Exporter::ReportFailedStarts() noexcept {
  const std::uint32_t times = failed_starts_.exchange(0, std::memory_order_relaxed);
  if (times == 0) return;
  Log(LogLevel::kError,
      [&] { return "the exporter thread could not be started " + Plural(times, "time"); });
}

bool Exporter::Flush(milliseconds timeout) noexcept {
  timeout = std::clamp<milliseconds>(timeout, milliseconds(0), kLongestWait);
  Worker* worker = worker_.load(std::memory_order_acquire);
  if (worker == nullptr) return true;
  std::unique_lock<std::mutex> lock(worker->mutex);
  if (worker->ended) return true;
  const std::uint64_t mine = ++worker->flushes_asked;
  worker->wake.notify_one();
  return worker->progress.wait_for(lock, timeout,
                                   [&] { return worker->ended || worker->flushes_done >= mine; });
}

void Exporter::Close(milliseconds timeout) noexcept {
  const Clock::time_point deadline = Clock::now() + timeout;
  closed_.store(true);
  // A thread that is being started is waited for: Start() holds `starting_` for microseconds.
  while (starting_.load()) std::this_thread::yield();
  Worker* worker = worker_.load(std::memory_order_acquire);
  if (worker == nullptr) {
    ReportFailedStarts();
    return DiscardQueue();
  }

  std::unique_lock<std::mutex> lock(worker->mutex);
  if (!worker->stop) {
    worker->stop = true;
    worker->send_deadline = deadline;
    if (Transport* transport = worker->transport.load()) transport->Interrupt(deadline);
    worker->wake.notify_one();
  }
  // A send that the deadline ends still has to come back and be counted.
  constexpr milliseconds kGrace{50};
  worker->progress.wait_until(lock, deadline + kGrace, [worker] { return worker->ended; });
  if (!worker->ended || !worker->thread.joinable()) return;
  std::thread thread = std::move(worker->thread);
  lock.unlock();
  thread.join();
  DiscardQueue();
}

// After the end of the thread: what was pushed too late.
void Exporter::DiscardQueue() noexcept {
  const std::lock_guard<std::mutex> lock(discard_mutex_);
  const std::size_t late = queue_.Drain(SpanQueue::What::kEverything, [](const char*) {});
  totals_.closed.fetch_add(late, std::memory_order_release);
}

Exporter::Totals Exporter::totals() noexcept {
  if (closed()) {
    Worker* worker = worker_.load(std::memory_order_acquire);
    bool ended = worker == nullptr;
    if (worker != nullptr) {
      const std::lock_guard<std::mutex> lock(worker->mutex);
      ended = worker->ended;
    }
    if (ended) DiscardQueue();
  }
  // Who sees that a span was sent sees, too, that the queue had accepted it.
  Totals totals;
  totals.exported = totals_.exported.load(std::memory_order_acquire);
  totals.rejected = totals_.rejected.load(std::memory_order_acquire);
  totals.send_failed = totals_.send_failed.load(std::memory_order_acquire);
  totals.closed = totals_.closed.load(std::memory_order_acquire);
  return totals;
}

void Exporter::AfterForkInChild() noexcept {
  Worker* parents = worker_.exchange(nullptr);
  if (parents != nullptr) {
    if (Transport* transport = parents->transport.load()) transport->AbandonAfterFork();
  }
  starting_ = false;
  next_start_ns_ = 0;
  failed_starts_ = 0;
  new (&discard_mutex_) std::mutex();
  queue_.Reset();
  totals_.exported = 0;
  totals_.rejected = 0;
  totals_.send_failed = 0;
  totals_.closed = 0;
  if (parents != nullptr) EnsureRunning();
}

}  // namespace tracekin
