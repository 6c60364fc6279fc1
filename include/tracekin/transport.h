// SPDX-License-Identifier: Apache-2.0
// Where batches of encoded spans go. tracekin's own transports are chosen by ExporterOptions; a
// program hands in one of its own by ExporterOptions::make_transport.
//
// One thread of the exporter makes a transport, uses it in the locale "C", and destroys it when the
// tracer is closed; Interrupt() alone is called by other threads. A transport owns its connection or
// file and opens it when the first batch is sent, so that making one never blocks and never fails for
// want of a collector.
//
// At exit() the tracers are closed by an exit handler that is registered when the first of them is made. A
// library with an exit handler of its own must therefore be initialised before, if the program's transport uses
// it: libcurl and OpenSSL are, by MakeTracer, for tracekin's transports only.
#ifndef TRACEKIN_TRANSPORT_H
#define TRACEKIN_TRANSPORT_H

#include <chrono>
#include <cstddef>
#include <string>

namespace tracekin {

enum class SendStatus {
  kAccepted,  // the collector has acknowledged the batch, or the file has it
  kRejected,  // it will never take this batch; it may take the other spans if one of them is bad
  kTooLarge,  // it will not take so much at once: smaller batches may do
  kFailed,    // no answer, an error or a time-out: it may work at another time
};

struct SendResult {
  SendStatus status;
  std::string message = {};  // unless all was taken: why, in the collector's own words if any
  // kFailed: the collector wants to be left alone so long.
  std::chrono::milliseconds retry_after{0};
  // kAccepted: so many spans of the batch the collector did not take, and never will. They count as
  // dropped.rejected. `message` says why, then.
  std::size_t rejected = 0;
};

class Transport {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Transport() = default;

  /// Sends one batch. Returns by `deadline` at the latest (a disk that hangs
  /// excepted). May throw std::bad_alloc: the batch has failed then. REQUIRES: the calling thread
  /// blocks SIGPIPE and SIGXFSZ, which the peer of a connection or pipe and a limit on the size of
  /// files would otherwise raise.
  virtual SendResult Send(const std::string& body, Clock::time_point deadline) = 0;

  /// Moves the deadline of a Send() that is under way on another thread, and of later ones, forward
  /// to `deadline`; never back. Any thread.
  virtual void Interrupt(Clock::time_point deadline) noexcept = 0;

  /// In the child of a fork, instead of the destructor: closes this process's copies of descriptors
  /// without a word to the peer, and touches nothing that another thread may have been changing at
  /// the fork. The object's memory is given up.
  virtual void AbandonAfterFork() noexcept = 0;
};

}  // namespace tracekin

#endif  // TRACEKIN_TRANSPORT_H
