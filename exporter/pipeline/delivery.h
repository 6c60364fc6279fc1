// SPDX-License-Identifier: Apache-2.0
// Decides which batch is sent next and what happens to it: retries, back-off, division, the spool.
//
// A batch that the collector refuses is divided, so that a span that it cannot accept costs only
// that span. A collector that refuses everything is recognised by its consecutive refusals. Its
// batches are then divided only twice.
//
// Batches are sent one at a time. Next() returns the batch to send, and Settle() receives the
// result. A failed batch is retried after a delay that grows with each failure. The other batches
// wait: a few here, the rest in the spool, or in the queue if there is no spool. Spooled spans are
// sent along with new ones, oldest first and at a limited rate.
//
// It has no threads and no clock, and never waits. The exporter thread owns it and passes the time.
//
// No function throws. Batches are list elements, which move from one list to another without an
// allocation, so that a lack of memory delays a batch but never loses it.
#ifndef TRACEKIN_EXPORTER_PIPELINE_DELIVERY_H
#define TRACEKIN_EXPORTER_PIPELINE_DELIVERY_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "exporter/pipeline/batch.h"
#include "exporter/pipeline/outcome.h"
#include "exporter/pipeline/spool.h"
#include "exporter/pipeline/totals.h"
#include "tracekin/options.h"

namespace tracekin::exporter {

class Delivery {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// `spool` may be null. `seed` randomises the jitter of the back-off.
  Delivery(const ExporterOptions& options, std::unique_ptr<Spool> spool, ExporterCounts* counts,
           std::uint64_t seed);

  /// Returns whether there is room for more spans. A chunk of the queue may exceed it.
  bool WantsSpans() const {
    return (spool_ != nullptr && !spool_failing_) || ready_.size() < kReady;
  }

  /// Adds a copy of a span from the queue, or counts it as too_large if there is no memory.
  void Add(const char* span, TimePoint now) noexcept;

  /// Makes the added spans due, even if they do not fill a batch.
  void EndBatch() noexcept;

  /// Moves batches beyond those that stay in memory to the spool, and looks for spans that other
  /// processes left there.
  void Maintain(TimePoint now) noexcept;

  /// Returns the batch to send now. Returns nullptr if there is no batch, or if it is too early to
  /// send it; `urgent` ignores the time. The batch is valid until it is settled. REQUIRES: no batch
  /// is being sent.
  const Batch* Next(TimePoint now, bool urgent) noexcept;

  /// Reports the result of the batch that Next() returned.
  void Settle(Outcome outcome, TimePoint now) noexcept;

  /// Moves all remaining spans to the spool, or counts them as closed. REQUIRES: no batch is being
  /// sent.
  void GiveUp(TimePoint now) noexcept;

  /// Returns whether only spooled spans are left.
  bool idle() const { return !HasFilling() && ready_.empty() && current_.empty(); }

  /// These return whether sending fails, since when it fails, and the last error message of the
  /// collector or the spool.
  bool away() const { return away_; }
  TimePoint away_since() const { return away_since_; }
  const std::string& last_error() const { return last_error_; }

  /// Returns whether there is a spool that cannot be written to.
  bool spool_failing() const { return spool_failing_; }

  void AbandonAfterFork() noexcept {
    if (spool_ != nullptr) spool_->AbandonAfterFork();
  }

 private:
  static constexpr std::size_t kReady = 2;
  static constexpr std::uint64_t kOneFailsWhileOthersDoNot = 5;
  static constexpr unsigned kRefusesEverything = 64;
  static constexpr unsigned kLeastDivisions = 2;

  bool HasFilling() const { return !filling_.empty() && filling_.front().spans != 0; }
  bool NextIsOld(TimePoint now) noexcept;
  bool HasOld() noexcept;
  void Adopt(TimePoint now) noexcept;
  void Accepted(const Outcome& outcome) noexcept;
  void Refused(bool too_large, TimePoint now) noexcept;
  void SayWhyIdsAreNotSent() noexcept;
  void GrowBatches() noexcept;
  bool MayDivide() const noexcept;
  void Failed(milliseconds retry_after, TimePoint now) noexcept;
  void AwaitMemory(TimePoint now) noexcept;
  bool Expired(TimePoint now) const noexcept;
  bool TooOld(TimePoint now) const noexcept;
  void BackOff(milliseconds retry_after, TimePoint now) noexcept;
  bool Divide() noexcept;
  void PutBack() noexcept;
  bool ToSpool(const Batch& batch, TimePoint now) noexcept;
  void Drop(std::uint64_t* as) noexcept;
  void Count(std::uint64_t* as, std::size_t spans) noexcept;
  void Done() noexcept;
  std::list<Batch> Spare();
  std::list<Batch>& line() { return current_is_old_ ? old_ : ready_; }

  const ExporterOptions options_;
  const std::unique_ptr<Spool> spool_;
  ExporterCounts* const counts_;
  std::uint64_t random_;
  std::size_t batch_bytes_;  // limit; lower after the collector called a batch too large
  unsigned refusals_ = 0;    // number of refusals since the collector last accepted a span
  unsigned accepted_ = 0;    // batches since batch_bytes_ changed

  std::list<Batch> filling_;  // contains at most one batch
  std::list<Batch> ready_;
  std::list<Batch> old_;         // read from the spool, but not settled
  std::list<Batch> current_;     // the batch being sent, from the front of `old_` or `ready_`
  bool current_is_old_ = false;  // true if that batch, or the last one sent, is from `old_`
  std::list<Batch> spare_;       // empty batches, kept so that their memory is reused

  bool away_ = false;
  bool short_of_memory_ = false;  // true if memory ran out at the last attempt to send
  TimePoint away_since_{};
  TimePoint next_try_{};
  milliseconds backoff_{0};
  bool spool_failing_ = false;
  TimePoint next_spooling_{};
  TimePoint next_adoption_{};
  bool adopting_ = false;        // spool_->adopting() at the last call of Adopt()
  double replay_allowance_ = 0;  // spans
  TimePoint allowed_at_{};
  std::string last_error_;
};

}  // namespace tracekin::exporter

#endif  // TRACEKIN_EXPORTER_PIPELINE_DELIVERY_H
