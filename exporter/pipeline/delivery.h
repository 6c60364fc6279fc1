// SPDX-License-Identifier: Apache-2.0
// What is sent next, and what becomes of it: batches, retries, back-off, splitting, the spool.
//
// A batch that the collector refuses is divided, so that a span that it cannot take costs that span
// alone. A collector that refuses everything is known by its refusals, which come one after the
// other: its batches are then divided twice, and no further.
//
// Batches go one at a time: Next() says which, Settle() what the collector made of it. One that failed
// is tried again after a while, longer and longer; meanwhile the others wait: a few here, the rest in
// the queue or, if there is one, in the spool. What was spooled is sent, oldest first and at a limited
// rate, beside what is new.
//
// No threads, no clocks, no waiting: the exporter thread owns it and says what time it is.
//
// Nothing here throws. Batches lie in lists, whose elements move from one to another without an
// allocation, so that a lack of memory delays a batch and never loses it.
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

namespace tracekin {

class Delivery {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// `spool` may be null. `seed` is for the jitter of the back-off.
  Delivery(const ExporterOptions& options, std::unique_ptr<Spool> spool, ExporterCounts* counts,
           std::uint64_t seed);

  /// Whether there is room for more spans; a chunk of the queue may exceed it.
  bool WantsSpans() const {
    return (spool_ != nullptr && !spool_failing_) || ready_.size() < kReady;
  }

  /// Takes a copy of a span out of the queue, or counts it as too_large if there is no memory.
  void Add(const char* span, TimePoint now) noexcept;

  /// What was added is due, though it may be no full batch.
  void EndBatch() noexcept;

  /// Moves what need not wait in memory to the spool, and looks for what others have left there.
  void Maintain(TimePoint now) noexcept;

  /// The batch to be sent now, or nullptr: there is none, or its time has not come (which `urgent`
  /// ignores). Valid until it is settled. REQUIRES: none is under way.
  const Batch* Next(TimePoint now, bool urgent) noexcept;

  /// What became of the batch that Next() gave.
  void Settle(Outcome outcome, TimePoint now) noexcept;

  /// All that is left goes to the spool, or is counted as closed. REQUIRES: no batch is under way.
  void GiveUp(TimePoint now) noexcept;

  /// Whether nothing but spooled spans is left.
  bool idle() const { return !HasFilling() && ready_.empty() && current_.empty(); }

  /// Since when the collector takes nothing; its last words, or the spool's.
  bool away() const { return away_; }
  TimePoint away_since() const { return away_since_; }
  const std::string& last_error() const { return last_error_; }

  /// Whether there is a spool, and it takes nothing.
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
  void Drop(ExporterCounts::Count* as) noexcept;
  void Count(ExporterCounts::Count* as, std::size_t spans) noexcept;
  void Done() noexcept;
  std::list<Batch> Spare();
  std::list<Batch>& line() { return current_is_old_ ? old_ : ready_; }

  const ExporterOptions options_;
  const std::unique_ptr<Spool> spool_;
  ExporterCounts* const counts_;
  std::uint64_t random_;
  std::size_t batch_bytes_;  // at most; less after the collector said that one was too large
  unsigned refusals_ = 0;    // since the collector last took a span
  unsigned accepted_ = 0;    // batches, since batch_bytes_ changed

  std::list<Batch> filling_;  // one, or none
  std::list<Batch> ready_;
  std::list<Batch> old_;         // read from the spool, not settled
  std::list<Batch> current_;     // the one that is under way; it came first in one of these
  bool current_is_old_ = false;  // or was the last one
  std::list<Batch> spare_;       // for their memory

  bool away_ = false;
  bool short_of_memory_ = false;  // when the last batch was to be sent
  TimePoint away_since_{};
  TimePoint next_try_{};
  milliseconds backoff_{0};
  bool spool_failing_ = false;
  TimePoint next_spooling_{};
  TimePoint next_adoption_{};
  bool adopting_ = false;        // when that was last looked at
  double replay_allowance_ = 0;  // spans
  TimePoint allowed_at_{};
  std::string last_error_;
};

}  // namespace tracekin

#endif  // TRACEKIN_EXPORTER_PIPELINE_DELIVERY_H
