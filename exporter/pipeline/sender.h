// SPDX-License-Identifier: Apache-2.0
// Encodes a batch and sends it, on a thread of its own: however long a collector takes, the exporter
// thread goes on.
//
// Ownership: makes and owns the encoder and the transport, on its thread. Thread-safety: Give and Take
// are the exporter thread's; Interrupt any thread's.
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

namespace tracekin {

class Sender {
 public:
  using TimePoint = Transport::Clock::time_point;
  using MakeEncoder = std::function<std::unique_ptr<Encoder>()>;
  using MakeTransport = std::function<std::unique_ptr<Transport>()>;

  /// `service` is borrowed. `on_outcome` is called on the thread, whenever there is something to Take.
  Sender(std::string_view service, const MakeEncoder& make_encoder,
         const MakeTransport& make_transport, std::function<void()> on_outcome);

  /// Has Run() make the transport at once, rather than for the first batch. REQUIRES: Run() comes later.
  void set_eager(bool eager) noexcept { ready_ = !eager; }

  /// Waits until Run() has tried to make the transport, if it is eager, but not beyond `deadline`.
  void AwaitReady(TimePoint deadline) noexcept;

  /// What the thread does, until Stop(). Destroys the transport at the end.
  void Run() noexcept;
  void Stop() noexcept;

  /// Has `batch` sent until `deadline`; it stays the caller's and unchanged until it is taken.
  /// REQUIRES: none is under way.
  void Give(const Batch* batch, TimePoint deadline) noexcept;

  /// What became of it, once.
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

  const std::string_view service_;
  const MakeEncoder& make_encoder_;
  const MakeTransport& make_transport_;
  const std::function<void()> on_outcome_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable now_ready_;
  bool stop_ = false;  // guarded by mutex_, as are:
  bool ready_ = true;
  const Batch* batch_ = nullptr;  // being sent
  TimePoint deadline_{};
  std::optional<Outcome> outcome_;
  TimePoint interrupt_ = TimePoint::max();

  // The thread's own, but for the transport's Interrupt and AbandonAfterFork:
  std::unique_ptr<Encoder> encoder_;
  std::atomic<Transport*> transport_{nullptr};
  std::unique_ptr<Transport> owned_transport_;
  std::string body_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_SENDER_H
