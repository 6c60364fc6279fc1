// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/delivery.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tracekin::exporter {

namespace {

using std::chrono::seconds;

constexpr seconds kSpoolRetry{1};
constexpr seconds kAdoptionInterval{10};
constexpr seconds kAdoptionRetry{1};
// A batch ends with the span that reaches this size. Its JSON is about as large; Zipkin accepts 10
// MiB.
constexpr std::size_t kMaxBatchBytes = 512 * 1024;
constexpr std::size_t kLeastBatchBytes = 2 * kMaxSpanBytes;
constexpr unsigned kAcceptedToGrow = 100;

}  // namespace

Delivery::Delivery(const ExporterOptions& options, std::unique_ptr<Spool> spool,
                   ExporterCounts* counts, std::uint64_t seed)
    : options_(options),
      spool_(std::move(spool)),
      counts_(counts),
      random_(seed | 1),
      batch_bytes_(kMaxBatchBytes) {}

void Delivery::Add(const char* span, TimePoint now) noexcept {
  ExporterCounts::Add(&counts_->in_flight, 1);
  try {
    if (filling_.empty()) filling_ = Spare();
    Batch& batch = filling_.front();
    if (batch.spans == 0) batch.made = now;
    batch.Add(span);
    if (batch.spans >= options_.batch_spans || batch.bytes.size() >= batch_bytes_) EndBatch();
  } catch (const std::bad_alloc&) {
    ExporterCounts::Move(&counts_->in_flight, &counts_->dropped.too_large, 1);
  }
}

void Delivery::EndBatch() noexcept {
  if (HasFilling()) ready_.splice(ready_.end(), filling_);
}

// Returns an empty batch, if possible with the memory of a settled one. Throws std::bad_alloc.
std::list<Batch> Delivery::Spare() {
  std::list<Batch> batch;
  if (spare_.empty()) {
    batch.emplace_back();
  } else {
    batch.splice(batch.end(), spare_, spare_.begin());
    batch.front().Clear();
  }
  return batch;
}

void Delivery::Maintain(TimePoint now) noexcept {
  if (spool_ == nullptr) return;
  if (now >= next_spooling_) spool_failing_ = false;
  // While sending fails, one batch stays here, so that new and spooled spans can take turns.
  const std::size_t keep = away_ ? 1 : kReady;
  while (!spool_failing_ && ready_.size() > keep) {
    if (ToSpool(ready_.front(), now)) ready_.pop_front();
  }
  // When all spans of one dead process are sent, there may be more from another one.
  if (now >= next_adoption_ || (adopting_ && !spool_->adopting())) Adopt(now);
}

void Delivery::Adopt(TimePoint now) noexcept {
  try {
    spool_->Adopt();
    adopting_ = spool_->adopting();
    next_adoption_ = now + kAdoptionInterval;
  } catch (const std::bad_alloc&) {
    next_adoption_ = now + kAdoptionRetry;
  }
}

bool Delivery::ToSpool(const Batch& batch, TimePoint now) noexcept {
  try {
    if (spool_->Append(batch)) return true;
    last_error_ = spool_->error();
  } catch (const std::bad_alloc&) {
  }
  spool_failing_ = true;
  next_spooling_ = now + kSpoolRetry;
  return false;
}

const Batch* Delivery::Next(TimePoint now, bool urgent) noexcept {
  if ((away_ || short_of_memory_) && !urgent && now < next_try_) return nullptr;
  current_is_old_ = NextIsOld(now);
  if (line().empty()) return nullptr;
  current_.splice(current_.end(), line(), line().begin());
  return &current_.front();
}

// Spooled spans are sent first as long as their rate permits. While sending fails, spooled and new
// batches take turns, because a single batch may be the cause.
bool Delivery::NextIsOld(TimePoint now) noexcept {
  if (spool_ == nullptr) return false;
  const double rate = static_cast<double>(options_.spool_replay_spans_per_second);
  const double elapsed = std::chrono::duration<double>(now - allowed_at_).count();
  replay_allowance_ = std::min(replay_allowance_ + elapsed * rate, rate);
  allowed_at_ = now;
  const bool fails = away_ || short_of_memory_;
  if (fails ? current_is_old_ && !ready_.empty() : replay_allowance_ <= 0) return false;
  return HasOld();
}

bool Delivery::HasOld() noexcept {
  if (!old_.empty()) return true;
  if (spool_->empty()) return false;
  try {
    std::list<Batch> batch = Spare();
    const bool read = spool_->Read(options_.batch_spans, batch_bytes_, &batch.front());
    std::list<Batch>& to = read ? old_ : spare_;
    to.splice(to.end(), batch);
    return read;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Delivery::Settle(Outcome outcome, TimePoint now) noexcept {
  SendResult& result = outcome.result;
  if (result.status != SendStatus::kAccepted || result.rejected != 0) {
    last_error_ = std::move(result.message);
  }
  if (outcome.no_memory) return AwaitMemory(now);
  short_of_memory_ = false;
  if (result.status == SendStatus::kFailed) return Failed(result.retry_after, now);
  if (away_) next_adoption_ = now;  // adopt soon: other processes may have died during the outage
  away_ = false;
  backoff_ = milliseconds(0);
  if (result.status == SendStatus::kAccepted) return Accepted(outcome);
  Refused(result.status == SendStatus::kTooLarge, now);
}

void Delivery::Accepted(const Outcome& outcome) noexcept {
  const std::size_t left_out = outcome.unencoded + outcome.without_ids;
  const std::size_t rejected = outcome.result.rejected;
  const std::size_t accepted = current_.front().spans - left_out - rejected;
  Count(&counts_->exported, accepted);
  Count(&counts_->dropped.too_large, outcome.unencoded);
  Count(&counts_->dropped.rejected, outcome.without_ids + rejected);
  if (outcome.without_ids != 0 && rejected == 0) SayWhyIdsAreNotSent();
  if (accepted != 0) refusals_ = 0;
  GrowBatches();
  Done();
}

void Delivery::SayWhyIdsAreNotSent() noexcept {
  try {
    last_error_ = "not sent: the span id is 0, or the trace id is 0 in the exporter's format";
  } catch (const std::bad_alloc&) {
    last_error_.clear();
  }
}

// After a batch was too large, raises the limit again in steps: the collector's limit may have been
// raised, or the batch may have been unusual. If not, that costs one request in kAcceptedToGrow.
void Delivery::GrowBatches() noexcept {
  if (batch_bytes_ == kMaxBatchBytes || ++accepted_ < kAcceptedToGrow) return;
  batch_bytes_ = std::min(2 * batch_bytes_, kMaxBatchBytes);
  accepted_ = 0;
}

void Delivery::Refused(bool too_large, TimePoint now) noexcept {
  if (refusals_ < kRefusesEverything) ++refusals_;
  if (!MayDivide())
    return Drop(too_large ? &counts_->dropped.too_large : &counts_->dropped.rejected);
  if (!Divide()) return AwaitMemory(now);
  if (!too_large) return;
  // Later batches start with this size.
  batch_bytes_ = std::clamp(line().front().bytes.size(), kLeastBatchBytes, batch_bytes_);
  accepted_ = 0;
}

// Returns whether the refused batch may be divided. Ten divisions find one bad span among a
// thousand, and about sixty consecutive refusals find twenty adjacent ones. The first two divisions
// are always made, because one accepted part proves that the collector does not refuse everything.
bool Delivery::MayDivide() const noexcept {
  const Batch& batch = current_.front();
  return batch.spans > 1 && (refusals_ < kRefusesEverything || batch.divisions < kLeastDivisions);
}

// Replaces the batch by its two halves. If there is no memory, returns false and changes nothing.
bool Delivery::Divide() noexcept {
  try {
    std::list<Batch> rest(1);
    rest.front() = current_.front().SplitOff();
    line().splice(line().begin(), rest);
    PutBack();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Delivery::Failed(milliseconds retry_after, TimePoint now) noexcept {
  Batch& batch = current_.front();
  // An old batch that is tried while all sending fails is not the cause, so the failure does not
  // count.
  if (!current_is_old_ || !away_) ++batch.tries;
  if (!away_) away_since_ = now;
  away_ = true;
  BackOff(retry_after, now);
  const bool to_spool = !current_is_old_ && spool_ != nullptr && !spool_failing_;
  if (to_spool && ToSpool(batch, now)) return current_.clear();
  if (!Expired(now)) return PutBack();
  Drop(&counts_->dropped.expired);
}

// A lack of memory in this process does not mark the collector as away, and the next attempt is
// made soon. These attempts do not count as tries, which would be used up within seconds. A new
// batch is dropped only when it is too old.
void Delivery::AwaitMemory(TimePoint now) noexcept {
  short_of_memory_ = true;
  next_try_ = now + milliseconds(options_.retry_backoff_ms);
  if (current_is_old_ || !TooOld(now)) return PutBack();
  Drop(&counts_->dropped.expired);
}

bool Delivery::Expired(TimePoint now) const noexcept {
  const std::uint64_t tries = current_.front().tries;
  if (current_is_old_) return tries >= kOneFailsWhileOthersDoNot;
  return tries >= options_.retry_max_tries || TooOld(now);
}

bool Delivery::TooOld(TimePoint now) const noexcept {
  return now - current_.front().made >= milliseconds(options_.retry_max_age_ms);
}

// Waits 50–100 % of the back-off so that clients do not return in lockstep.
void Delivery::BackOff(milliseconds retry_after, TimePoint now) noexcept {
  const milliseconds least(options_.retry_backoff_ms), most(options_.retry_max_backoff_ms);
  backoff_ = std::max(std::min(2 * backoff_, most), least);
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;  // xorshift64
  const double share = 0.5 + static_cast<double>(random_ >> 11) / static_cast<double>(1ull << 54);
  const auto wait = std::chrono::duration_cast<milliseconds>(backoff_ * share);
  next_try_ = now + std::max(wait, retry_after);
}

void Delivery::PutBack() noexcept { line().splice(line().begin(), current_); }

// Counts all spans of the current batch as lost.
void Delivery::Drop(std::uint64_t* as) noexcept {
  Count(as, current_.front().spans);
  Done();
}

void Delivery::Count(std::uint64_t* as, std::size_t spans) noexcept {
  ExporterCounts::Move(current_is_old_ ? &counts_->spooled : &counts_->in_flight, as, spans);
}

// Ends the current batch.
void Delivery::Done() noexcept {
  if (current_is_old_) {
    const std::size_t spans = current_.front().spans;
    replay_allowance_ -= static_cast<double>(spans);
    spool_->Settle(spans);
  }
  if (spare_.size() < kReady) {
    spare_.splice(spare_.end(), current_);
  } else {
    current_.clear();
  }
}

void Delivery::GiveUp(TimePoint now) noexcept {
  EndBatch();
  for (const Batch& batch : ready_) {
    if (spool_ != nullptr && !spool_failing_ && ToSpool(batch, now)) continue;
    ExporterCounts::Move(&counts_->in_flight, &counts_->dropped.closed, batch.spans);
  }
  ready_.clear();
}

}  // namespace tracekin::exporter
