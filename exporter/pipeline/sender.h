// SPDX-License-Identifier: Apache-2.0
// Encodes and sends batches on a thread of its own, so that a slow collector does not delay the
// exporter thread.
//
// Ownership: makes and owns the encoder and the transport, on its thread. Thread-safety: Give and
// Take belong to the exporter thread. Interrupt may be called from any thread.
#ifndef TRACEKIN_EXPORTER_PIPELINE_SENDER_H
#define TRACEKIN_EXPORTER_PIPELINE_SENDER_H

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "exporter/encoding/encoder.h"
#include "exporter/pipeline/batch.h"
#include "exporter/pipeline/outcome.h"
#include "tracekin/transport.h"

namespace tracekin::exporter {

class Sender {
 public:
  using TimePoint = Transport::Clock::time_point;
  using MakeEncoder = std::function<std::unique_ptr<Encoder>()>;
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;

  /// `resource` is the tracer's resource, encoded as entries (span_bytes.h). It is borrowed, like
  /// the two makers. The sender's thread calls `on_outcome` whenever Take() will return a result.
  Sender(std::string_view resource, const MakeEncoder& make_encoder,
         const MakeTransport& make_transport, std::function<void()> on_outcome);

  /// Makes Run() create the transport immediately instead of with the first batch. REQUIRES: called
  /// before Run().
  void set_eager(bool eager) noexcept { ready_ = !eager; }

  /// Waits until Run() has tried to make the transport, if the sender is eager, or until
  /// `deadline`.
  void AwaitReady(TimePoint deadline) noexcept;

  /// Sends batches on the calling thread until Stop(), and then destroys the transport.
  void Run() noexcept;
  void Stop() noexcept;

  /// Sends `batch` on the sender's thread, until `deadline`. The caller owns the batch and must not
  /// change it until Take() has returned its result. REQUIRES: no batch is being sent.
  void Give(const Batch* batch, TimePoint deadline) noexcept;

  /// Returns the result of the batch that was given, or nothing if it is not known yet or was
  /// already returned.
  std::optional<Outcome> Take() noexcept;

  /// See Transport::Interrupt.
  void Interrupt(TimePoint deadline) noexcept;

  /// See Transport::AbandonAfterFork.
  void AbandonAfterFork() noexcept;

 private:
  void BeReady() noexcept;
  const Batch* AwaitBatch() noexcept;
  Outcome Try(const Batch* batch) noexcept;
  void MakeParts();
  void Send(const Batch& batch, Outcome* outcome);
  std::size_t Encode(const Batch& batch, Outcome* outcome);
  void EndTransport() noexcept;

  const std::string_view resource_;
  const MakeEncoder& make_encoder_;
  const MakeTransport& make_transport_;
  const std::function<void()> on_outcome_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable now_ready_;
  bool stop_ = false;  // guarded by mutex_, like the fields below
  bool ready_ = true;
  const Batch* batch_ = nullptr;  // the batch that is being sent
  TimePoint deadline_{};
  std::optional<Outcome> outcome_;
  TimePoint interrupt_ = TimePoint::max();

  // Used by the sender's thread only, except for the transport's Interrupt and AbandonAfterFork:
  std::unique_ptr<Encoder> encoder_;
  std::atomic<Transport*> transport_{nullptr};
  std::unique_ptr<Transport> owned_transport_;
  std::string body_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_SENDER_H
