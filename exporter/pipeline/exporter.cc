// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/exporter.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/no_cancellation.h"
#include "base/random_seed.h"
#include "base/signals_blocked.h"
#include "exporter/pipeline/delivery.h"
#include "exporter/pipeline/drop_report.h"

namespace tracekin::exporter {

namespace {

using std::chrono::milliseconds;

// How often the thread looks for full chunks. At a million spans of 300 bytes per second, 6 MB
// accumulate in that time, well within the default queue. An idle process has fifty short wake-ups
// per second.
constexpr milliseconds kPollInterval{20};
constexpr std::chrono::seconds kTellInterval{10};
constexpr std::chrono::seconds kLongestReadyWait{1};
constexpr std::int64_t kStartRetryNs = 1'000'000'000;
// How long to wait for a transport's destructor. librdkafka's threads take milliseconds to end, and
// KafkaTransport gives up after 1 s.
constexpr milliseconds kLongestEnd{1200};
constexpr std::chrono::hours kLongestWait{24 * 365};  // short enough not to overflow a clock

std::int64_t Now() { return Exporter::Clock::now().time_since_epoch().count(); }

std::unique_ptr<Spool> MakeSpool(const ExporterOptions& options, const std::string& resource,
                                 ExporterCounts* counts) {
  if (options.spool_path.empty()) return nullptr;
  return std::make_unique<Spool>(options.spool_path, options.spool_bytes, resource, counts);
}

std::string Plural(std::uint64_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

// The state of one process's threads. The child of a fork does not touch its parent's Worker,
// because locks and memory may be in any state, and makes a new one.
struct Exporter::Worker {
  // Shared with Flush and Close, guarded by `mutex`:
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable progress;
  bool awake = false;  // the exporter thread must look for changes
  bool stop = false;
  bool settled = false;  // true when all spans are exported or counted after `stop`
  bool ended = false;    // the threads and the transport have ended
  bool told_stuck = false;
  Clock::time_point send_deadline = Clock::time_point::max();
  std::uint64_t flushes_asked = 0;
  std::uint64_t flushes_done = 0;

  Sender sender;
  std::thread sender_thread;
  std::thread thread;

  // Used by the exporter thread only:
  Delivery delivery;
  bool sending = false;
  bool failed = false;          // true if a batch failed since a flush or the end was requested
  std::uint64_t collected = 0;  // spans collected from the queue
  std::uint64_t read = 0;       // collected spans that were read
  std::uint64_t flush_seen = 0;
  std::uint64_t flush_collected = 0;  // `collected` at that time
  Clock::time_point next_flush{};
  DropReport drops;
  bool told_away = false;
  bool told_spool = false;
  Clock::time_point next_tell = Clock::time_point::min();

  explicit Worker(Exporter* exporter);

  // REQUIRES: `mutex` is held.
  void Wake(const std::unique_lock<std::mutex>&) {
    awake = true;
    wake.notify_one();
  }
};

Exporter::Worker::Worker(Exporter* exporter)
    : sender(exporter->resource_, exporter->make_encoder_, exporter->make_transport_,
             [this] { Wake(std::unique_lock<std::mutex>(mutex)); }),
      delivery(exporter->options_,
               MakeSpool(exporter->options_, exporter->resource_, &exporter->counts_),
               &exporter->counts_, RandomSeed()) {}

Exporter::Exporter(const ExporterOptions& options, const Resource& resource,
                   MakeEncoder make_encoder, MakeTransport make_transport, Logger logger)
    : options_(options),
      resource_(ResourceBytes(resource)),
      make_encoder_(std::move(make_encoder)),
      make_transport_(std::move(make_transport)),
      logger_(std::move(logger)),
      queue_(options.queue_spans, options.queue_bytes) {}

// The exporter has no owner any more, so its threads have ended or were never started.
Exporter::~Exporter() {
  Worker* worker = worker_.load();
  if (worker == nullptr) return;
  if (worker->thread.joinable()) worker->thread.detach();
  delete worker;
}

// Logs the message that `make_message` returns, unless that is "".
template <class MakeMessage>
void Exporter::Log(LogLevel level, MakeMessage make_message) noexcept {
  try {
    const std::string message = make_message();
    if (message.empty()) return;
    logging_ = true;
    logger_(level, message);
  } catch (...) {
    // A failing logger or a lack of memory must not terminate the host process.
  }
  logging_ = false;
}

void Exporter::Start() noexcept {
  if (closed() || Now() < next_start_ns_.load(std::memory_order_relaxed)) return;
  const NoCancellation no_cancellation;
  // These are sequentially consistent with Close(), which sets closed_ and then reads starting_. At
  // least one of the two threads sees the other.
  if (starting_.exchange(true)) return;
  if (worker_.load(std::memory_order_acquire) == nullptr && !closed_.load()) {
    const SignalsBlocked signals_blocked;
    try {
      worker_.store(StartThreads(), std::memory_order_release);
    } catch (const std::exception&) {
      next_start_ns_.store(Now() + kStartRetryNs, std::memory_order_relaxed);
      failed_starts_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  starting_.store(false, std::memory_order_release);
}

// Throws the same as std::thread if a thread cannot be started.
Exporter::Worker* Exporter::StartThreads() {
  auto worker = std::make_unique<Worker>(this);
  if (helper_) helper_->start();  // keeps running if a later thread cannot be started
  Sender* sender = &worker->sender;
  sender->set_eager(eager_transport_);
  worker->sender_thread = std::thread([sender] {
    pthread_setname_np(pthread_self(), "tracekin-send");
    sender->Run();
  });
  try {
    worker->thread =
        std::thread([self = shared_from_this(), raw = worker.get()] { self->Run(raw); });
  } catch (...) {
    sender->Stop();
    worker->sender_thread.join();
    throw;
  }
  return worker.release();
}

void Exporter::Run(Worker* worker) noexcept {
  pthread_setname_np(pthread_self(), "tracekin");
  LogFailedStarts();
  worker->next_flush = Clock::now() + milliseconds(options_.flush_interval_ms);
  while (!Step(worker)) {
  }
  worker->sender.Stop();
  worker->sender_thread.join();
  if (helper_) helper_->stop();
  const std::lock_guard<std::mutex> lock(worker->mutex);
  worker->ended = true;
  worker->progress.notify_all();
}

// Runs one round: waits, takes the result of the last send and the finished spans, and sends.
// Returns true after the last round.
bool Exporter::Step(Worker* worker) noexcept {
  std::unique_lock<std::mutex> lock(worker->mutex);
  worker->wake.wait_for(lock, std::min(kPollInterval, milliseconds(options_.flush_interval_ms)),
                        [worker] { return worker->awake; });
  worker->awake = false;
  const bool stop = worker->stop;
  const std::uint64_t flush = worker->flushes_asked;
  const bool asked = stop || flush != worker->flushes_done;
  const Clock::time_point deadline = worker->send_deadline;
  lock.unlock();

  const Clock::time_point now = Clock::now();
  const bool failed = TakeOutcome(worker, now);
  worker->failed = asked && (worker->failed || failed);
  TakeSpans(worker, asked, now);
  if (flush != worker->flush_seen) {
    worker->flush_seen = flush;
    worker->flush_collected = worker->collected;
  }
  const bool done =
      stop ? !worker->sending && (NothingLeft(worker) || worker->failed || now >= deadline)
           : asked && (Flushed(worker) || worker->failed);
  if (!done || !stop) Send(worker, asked && !done, now, deadline);
  if (done && stop) GiveUp(worker, now);
  LogState(worker, done && stop);
  if (on_round_) Log(LogLevel::kWarning, [&] { return on_round_(done && stop); });

  if (!done) return false;
  worker->failed = false;
  lock.lock();
  worker->flushes_done = flush;
  worker->settled = stop;
  worker->progress.notify_all();
  return stop;
}

// A thread that is inside Push() has its chunk, with earlier spans, outside the queue. So there may
// be accepted spans that Collect() did not find.
bool Exporter::NothingLeft(const Worker* worker) const {
  return queue_.drained() && worker->read == queue_.accepted() && worker->delivery.idle();
}

// Returns whether all spans that were collected when the flush was requested are settled or
// spooled. Batches are sent in order, so these spans are not among those in memory.
bool Exporter::Flushed(const Worker* worker) const {
  return worker->read - counts_.in_flight >= worker->flush_collected;
}

// Passes the result of the last send to the delivery. Returns whether a batch failed.
bool Exporter::TakeOutcome(Worker* worker, Clock::time_point now) noexcept {
  std::optional<Outcome> outcome = worker->sender.Take();
  if (!outcome) return false;
  const bool failed = outcome->result.status == SendStatus::kFailed;
  if (failed) ExporterCounts::Add(&counts_.failed_requests, 1);
  if (outcome->result.status == SendStatus::kAccepted) {
    ExporterCounts::Set(&counts_.last_success_timestamp_seconds,
                        static_cast<std::uint64_t>(std::time(nullptr)));
  }
  worker->sending = false;
  worker->delivery.Settle(std::move(*outcome), now);
  return failed;
}

// Moves spans from the queue to the delivery as long as that has room. The other spans stay in the
// queue and count against its bounds.
void Exporter::TakeSpans(Worker* worker, bool asked, Clock::time_point now) noexcept {
  const bool due = asked || now >= worker->next_flush;
  queue_.Prefault();
  worker->collected +=
      queue_.Collect(due ? SpanQueue::What::kEverything : SpanQueue::What::kFullChunks);
  Delivery& delivery = worker->delivery;
  const auto add = [&](const char* span) { delivery.Add(span, now); };
  while (delivery.WantsSpans() && !queue_.drained()) {
    worker->read += queue_.ReadChunk(add);
    delivery.Maintain(now);
  }
  if (due) {
    delivery.EndBatch();
    worker->next_flush = now + milliseconds(options_.flush_interval_ms);
  }
  delivery.Maintain(now);
}

void Exporter::Send(Worker* worker, bool urgent, Clock::time_point now,
                    Clock::time_point deadline) noexcept {
  if (worker->sending) return;
  const Batch* batch = worker->delivery.Next(now, urgent);
  if (batch == nullptr) return;
  worker->sending = true;
  worker->sender.Give(batch, std::min(now + milliseconds(options_.timeout_ms), deadline));
}

void Exporter::GiveUp(Worker* worker, Clock::time_point now) noexcept {
  queue_.Collect(SpanQueue::What::kEverything);
  Delivery& delivery = worker->delivery;
  do {
    delivery.GiveUp(now);
  } while (queue_.ReadChunk([&](const char* span) { delivery.Add(span, now); }) != 0);
}

void Exporter::LogState(Worker* worker, bool last) noexcept {
  LogCollector(worker);
  const Clock::time_point now = Clock::now();
  Log(LogLevel::kWarning, [&] {
    Counters totals = counts_.Read();
    totals.dropped.queue_full = queue_.refused();
    return worker->drops.Make(totals, WithPlace(worker->delivery.last_error()), now, last);
  });
}

// Adds to an error message where spans are sent to.
std::string Exporter::WithPlace(const std::string& error) const {
  return error.empty() || place_.empty() ? error : error + " [" + place_ + ']';
}

// Logs when the collector or the spool stops accepting spans, and when the collector accepts them
// again.
void Exporter::LogCollector(Worker* worker) noexcept {
  const Delivery& delivery = worker->delivery;
  if (delivery.spool_failing() && !worker->told_spool) {
    worker->told_spool = true;
    Log(LogLevel::kWarning, [&] { return delivery.last_error() + "; spans are kept in memory"; });
  }
  const Clock::time_point now = Clock::now();
  if (delivery.away() && !worker->told_away && now >= worker->next_tell) {
    worker->told_away = true;
    worker->next_tell = now + kTellInterval;
    Log(LogLevel::kWarning, [&] {
      return "spans cannot be sent and are kept in " +
             std::string(options_.spool_path.empty() || delivery.spool_failing() ? "memory"
                                                                                 : "the spool") +
             ": " + WithPlace(delivery.last_error());
    });
  } else if (!delivery.away() && worker->told_away) {
    worker->told_away = false;
    const auto seconds = std::chrono::round<std::chrono::seconds>(now - delivery.away_since());
    Log(LogLevel::kInfo, [&] {
      return "spans are being sent again after " + std::to_string(seconds.count()) + " s";
    });
  }
}

// Reports failed attempts to start the threads. They are not reported where they occur, because
// that is a thread of the application in the middle of a span.
void Exporter::LogFailedStarts() noexcept {
  const std::uint32_t times = failed_starts_.exchange(0, std::memory_order_relaxed);
  if (times == 0) return;
  Log(LogLevel::kError,
      [&] { return "the exporter thread failed to start " + Plural(times, "time"); });
}

// Reports that the exporter did not end in time. The exporter thread cannot do that, because it
// waits for the sender, which is blocked by a disk or by another library's lock. If the exporter
// thread is inside the logger, this thread must not enter it as well.
void Exporter::LogStuck() noexcept {
  if (logging_) return;
  const Counters totals = counts_.Read();
  const std::uint64_t left = queue_.accepted() - TakenFromQueue(totals) + totals.in_flight;
  Log(LogLevel::kWarning, [&] {
    return "the sender is still busy after exporter.close_timeout_ms and may lose up to " +
           Plural(left, "span");
  });
}

void Exporter::AwaitReady() noexcept {
  const Clock::time_point deadline = Clock::now() + kLongestReadyWait;
  if (helper_) helper_->await_ready(deadline);
  if (Worker* worker = worker_.load()) worker->sender.AwaitReady(deadline);
}

bool Exporter::Flush(milliseconds timeout) noexcept {
  const NoCancellation no_cancellation;
  timeout = std::clamp<milliseconds>(timeout, milliseconds(0), kLongestWait);
  Worker* worker = worker_.load(std::memory_order_acquire);
  if (worker == nullptr) return true;
  std::unique_lock<std::mutex> lock(worker->mutex);
  if (worker->ended) return true;
  const std::uint64_t mine = ++worker->flushes_asked;
  worker->Wake(lock);
  return worker->progress.wait_for(lock, timeout,
                                   [&] { return worker->ended || worker->flushes_done >= mine; });
}

void Exporter::BeginClose(milliseconds timeout) noexcept {
  const NoCancellation no_cancellation;
  const Clock::time_point deadline = Clock::now() + timeout;
  closed_.store(true);
  // Waits for a thread that is being started. Start() holds `starting_` for microseconds.
  while (starting_.load()) std::this_thread::yield();
  Worker* worker = worker_.load(std::memory_order_acquire);
  if (worker == nullptr) return;
  const std::unique_lock<std::mutex> lock(worker->mutex);
  if (worker->stop) return;
  worker->stop = true;
  worker->send_deadline = deadline;
  worker->sender.Interrupt(deadline);
  worker->Wake(lock);
}

bool Exporter::AwaitEnd() noexcept {
  const NoCancellation no_cancellation;
  Worker* worker = worker_.load(std::memory_order_acquire);
  if (worker == nullptr) {
    LogFailedStarts();
    DiscardQueue();
    return true;
  }

  std::unique_lock<std::mutex> lock(worker->mutex);
  // A send that ends at the deadline still has to return and be counted.
  constexpr milliseconds kGrace{50};
  const Clock::time_point deadline = worker->send_deadline + kGrace;
  worker->progress.wait_until(lock, deadline, [worker] { return worker->settled; });
  if (!worker->settled) {
    const bool told = std::exchange(worker->told_stuck, true);
    lock.unlock();
    if (!told) LogStuck();
    return false;
  }
  const Clock::time_point end = std::max(deadline, Clock::now() + kLongestEnd);
  if (!worker->progress.wait_until(lock, end, [worker] { return worker->ended; })) return false;
  if (!worker->thread.joinable()) return true;
  std::thread thread = std::move(worker->thread);
  lock.unlock();
  thread.join();
  DiscardQueue();
  return true;
}

// Counts spans that were pushed after the exporter thread had settled everything.
void Exporter::DiscardQueue() noexcept {
  const std::lock_guard<std::mutex> lock(discard_mutex_);
  queue_.Collect(SpanQueue::What::kEverything);
  while (const std::size_t late = queue_.ReadChunk([](const char*) {})) {
    ExporterCounts::Add(&counts_.dropped.closed, late);
  }
}

Counters Exporter::totals() noexcept {
  if (closed()) {
    Worker* worker = worker_.load(std::memory_order_acquire);
    bool settled = worker == nullptr;
    if (worker != nullptr) {
      const std::lock_guard<std::mutex> lock(worker->mutex);
      settled = worker->settled;
    }
    if (settled) DiscardQueue();
  }
  Counters totals = counts_.Read();
  totals.queued = queue_.accepted() - TakenFromQueue(totals);
  totals.dropped.queue_full = queue_.refused();
  return totals;
}

void Exporter::AfterForkInChild() noexcept {
  Worker* parents = worker_.exchange(nullptr);
  if (parents != nullptr) {
    parents->sender.AbandonAfterFork();
    parents->delivery.AbandonAfterFork();
  }
  if (helper_) helper_->after_fork_in_child();
  starting_ = false;
  next_start_ns_ = 0;
  failed_starts_ = 0;
  logging_ = false;
  new (&discard_mutex_) std::mutex();
  queue_.Reset();
  counts_.Reset();
  if (parents != nullptr) EnsureRunning();
}

}  // namespace tracekin::exporter
