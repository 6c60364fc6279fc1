// SPDX-License-Identifier: Apache-2.0
// Sends batches of encoded spans. ExporterOptions selects one of tracekin's own transports. A
// program can provide its own with ExporterOptions::make_transport.
//
// One thread of the exporter creates a transport, uses it in the locale "C", and destroys it when
// the tracer is closed. Other threads call only Interrupt(). A transport owns its connection or
// file. It opens it when it sends the first batch, so that creating a transport never blocks and
// does not fail when the collector cannot be reached.
//
// An exit handler closes the tracers in exit(). It is registered when the first tracer is made. If
// the program's transport uses a library that has its own exit handler, initialize that library
// earlier. MakeTracer initializes libcurl and OpenSSL, but only for tracekin's own transports.
#ifndef TRACEKIN_TRANSPORT_H
#define TRACEKIN_TRANSPORT_H

#include <chrono>
#include <cstddef>
#include <string>

namespace tracekin {

enum class SendStatus {
  kAccepted,  // the collector acknowledged the batch, or it was written to the file
  kRejected,  // the collector will never accept this batch, but may accept it without a bad span
  kTooLarge,  // the collector does not accept a batch of this size, but may accept smaller ones
  kFailed,    // no answer, an error or a time-out: a later try may succeed
};

struct SendResult {
  SendStatus status;
  // Unless the collector accepted all spans: the reason, quoting the collector if it answered.
  std::string message = {};
  // kFailed: the collector asks to wait at least this long before the next request.
  std::chrono::milliseconds retry_after{0};
  // kAccepted: the number of spans in the batch that the collector will never accept. They are
  // counted as dropped.rejected, and `message` contains the reason.
  std::size_t rejected = 0;
};

class Transport {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Transport() = default;

  /// Sends one batch. Returns no later than `deadline`, unless a disk hangs. May throw
  /// std::bad_alloc, which means that the batch failed.
  /// REQUIRES: the calling thread blocks SIGPIPE and SIGXFSZ. Otherwise the peer of a connection or
  /// pipe, or a limit on the size of files, could raise them.
  virtual SendResult Send(const std::string& body, Clock::time_point deadline) = 0;

  /// Moves the deadline of a Send() that is running on another thread, and of later calls, forward
  /// to `deadline`. Never postpones a deadline. May be called from any thread.
  virtual void Interrupt(Clock::time_point deadline) noexcept = 0;

  /// Replaces the destructor in the child of a fork. Closes this process's copies of the file
  /// descriptors without sending anything to the peer. Does not touch anything that another thread
  /// may have been changing during the fork. The memory of the object is leaked.
  virtual void AbandonAfterFork() noexcept = 0;
};

}  // namespace tracekin

#endif  // TRACEKIN_TRANSPORT_H
