// The seam between an encoded batch and where it goes.
//
// Used by the exporter thread alone, but for Interrupt(). A transport owns its connection or file
// and opens it when the first batch is sent, so that making one never blocks and never fails for
// want of a collector.
#ifndef TRACEKIN_EXPORTER_TRANSPORT_H
#define TRACEKIN_EXPORTER_TRANSPORT_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

namespace tracekin {

enum class SendStatus {
  kAccepted,  // the collector has acknowledged the batch, or the file has it
  kRejected,  // it will never take this batch: sending it again is no use
  kFailed,    // no answer, an error or a time-out: it might have worked at another time
};

struct SendResult {
  SendStatus status;
  std::string
      message;  // unless kAccepted: what happened, in the collector's own words if it has any
};

class Transport {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Transport() = default;

  /// Sends one batch of `spans` spans. Returns by `deadline` at the latest (a disk that hangs
  /// excepted). Throws std::bad_alloc. REQUIRES: the calling thread blocks SIGPIPE and SIGXFSZ,
  /// which the peer of a connection or pipe and a limit on the size of files would otherwise raise.
  virtual SendResult Send(const std::string& body, std::size_t spans,
                          Clock::time_point deadline) = 0;

  /// Moves the deadline of a Send() that is under way on another thread, and of later ones, forward
  /// to `deadline`; never back. Any thread.
  virtual void Interrupt(Clock::time_point deadline) noexcept = 0;

  /// In the child of a fork, instead of the destructor: closes this process's copies of descriptors
  /// without a word to the peer, and touches nothing that another thread may have been changing at
  /// the fork. The object's memory is given up.
  virtual void AbandonAfterFork() noexcept = 0;
};

/// What Interrupt() leaves behind for Send(): the earliest deadline that was asked for. Any thread.
class EarliestDeadline {
 public:
  using TimePoint = Transport::Clock::time_point;

  void MoveForward(TimePoint to) noexcept {
    TimePoint current = deadline_.load(std::memory_order_relaxed);
    while (to < current && !deadline_.compare_exchange_weak(current, to)) {
    }
  }

  TimePoint Or(TimePoint other) const noexcept { return std::min(deadline_.load(), other); }

 private:
  std::atomic<TimePoint> deadline_{TimePoint::max()};
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_TRANSPORT_H
