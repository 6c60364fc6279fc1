#include "exporter/delivery.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tracekin {

namespace {

using std::chrono::seconds;

constexpr seconds kSpoolRetry{1};
constexpr seconds kAdoptionInterval{10};
// A batch ends with the span that reaches so many bytes. As JSON they are about as many; Zipkin takes 10
// MiB.
constexpr std::size_t kMaxBatchBytes = 512 * 1024;
constexpr std::size_t kLeastBatchBytes = 2 * kMaxSpanBytes;

}  // namespace

Delivery::Delivery(const ExporterOptions& options, std::unique_ptr<Spool> spool,
                   ExporterCounts* counts, std::uint64_t seed)
    : options_(options),
      spool_(std::move(spool)),
      counts_(counts),
      random_(seed | 1),
      batch_bytes_(kMaxBatchBytes) {}

void Delivery::Add(const char* span, TimePoint now) noexcept {
  counts_->in_flight.fetch_add(1);
  const std::size_t before = filling_.bytes.size();
  try {
    if (filling_.spans == 0) filling_.made = now;
    filling_.Add(span);
  } catch (...) {
    filling_.bytes.resize(before);
    ExporterCounts::Move(&counts_->in_flight, &counts_->too_large, 1);
  }
  if (filling_.spans >= options_.batch_spans || filling_.bytes.size() >= batch_bytes_) EndBatch();
}

void Delivery::EndBatch() noexcept {
  if (filling_.spans == 0) return;
  try {
    ready_.push_back(std::move(filling_));
    filling_ = Spare();
  } catch (...) {
    // It goes on being filled: there is nothing else to be done without memory.
  }
}

Batch Delivery::Spare() noexcept {
  if (spare_.empty()) return {};
  Batch batch = std::move(spare_.back());
  spare_.pop_back();
  batch.Clear();
  return batch;
}

void Delivery::Maintain(TimePoint now) {
  if (spool_ == nullptr) return;
  if (now >= next_spooling_) spool_failing_ = false;
  // While the collector is away one stays, to be tried in turn with what was spooled.
  const std::size_t keep = away_ ? 1 : kReady;
  while (!spool_failing_ && ready_.size() > keep) {
    if (ToSpool(ready_.front(), now)) ready_.pop_front();
  }
  if (now >= next_adoption_) {
    spool_->Adopt();
    next_adoption_ = now + kAdoptionInterval;
  }
}

bool Delivery::ToSpool(const Batch& batch, TimePoint now) {
  try {
    if (spool_->Append(batch)) return true;
    last_error_ = spool_->error();
  } catch (const std::bad_alloc&) {
  }
  spool_failing_ = true;
  next_spooling_ = now + kSpoolRetry;
  return false;
}

const Batch* Delivery::Next(TimePoint now, bool urgent) {
  if (away_ && !urgent && now < next_try_) return nullptr;
  current_is_old_ = NextIsOld(now);
  if (line().empty()) return nullptr;
  current_ = std::move(line().front());
  line().pop_front();
  under_way_ = true;
  return &current_;
}

// Old spans go first as long as their rate allows it. While the collector is away, old and new ones
// take turns: it may be one batch that it fails on.
bool Delivery::NextIsOld(TimePoint now) {
  if (spool_ == nullptr) return false;
  const double rate = static_cast<double>(options_.spool_replay_spans_per_second);
  const double elapsed = std::chrono::duration<double>(now - allowed_at_).count();
  replay_allowance_ = std::min(replay_allowance_ + elapsed * rate, rate);
  allowed_at_ = now;
  if (away_ ? current_is_old_ && !ready_.empty() : replay_allowance_ <= 0) return false;
  return HasOld();
}

bool Delivery::HasOld() {
  if (!old_.empty()) return true;
  old_.push_back(Spare());
  if (spool_->Read(options_.batch_spans, batch_bytes_, &old_.front())) return true;
  old_.clear();
  return false;
}

void Delivery::Settle(const SendResult& result, std::size_t unencoded, TimePoint now) {
  under_way_ = false;
  if (result.status == SendStatus::kFailed) return Failed(result, now);
  if (away_) next_adoption_ = now;  // others may not have lived to see this
  away_ = false;
  backoff_ = milliseconds(0);
  if (result.status == SendStatus::kAccepted) return Accepted(unencoded);
  Refused(result);
}

void Delivery::Accepted(std::size_t unencoded) {
  Count(&counts_->exported, current_.spans - unencoded);
  Count(&counts_->too_large, unencoded);
  Done();
}

void Delivery::Refused(const SendResult& result) {
  last_error_ = result.message;
  const bool too_large = result.status == SendStatus::kTooLarge;
  if (too_large && current_.spans > 1 && Split()) return;
  Count(too_large ? &counts_->too_large : &counts_->rejected, current_.spans);
  Done();
}

// Two halves in its place; later batches are made that small from the start.
bool Delivery::Split() {
  try {
    Batch rest = current_.SplitOff();
    batch_bytes_ = std::clamp(current_.bytes.size(), kLeastBatchBytes, batch_bytes_);
    line().push_front(std::move(rest));
    PutBack();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Delivery::Failed(const SendResult& result, TimePoint now) {
  last_error_ = result.message;
  // Of an old batch it is no fault of its own that it was the one to be tried while all failed.
  if (!current_is_old_ || !away_) ++current_.tries;
  if (!away_) away_since_ = now;
  away_ = true;
  BackOff(result.retry_after, now);
  const bool to_spool = !current_is_old_ && spool_ != nullptr && !spool_failing_;
  if (to_spool && ToSpool(current_, now)) return;
  if (!Expired(now)) return PutBack();
  Count(&counts_->expired, current_.spans);
  Done();
}

bool Delivery::Expired(TimePoint now) const {
  if (current_is_old_) return current_.tries >= kOneFailsWhileOthersDoNot;
  return current_.tries >= options_.retry_max_tries ||
         now - current_.made >= milliseconds(options_.retry_max_age_ms);
}

// Not all at once, where many were told to come back: half of it to all of it, by chance.
void Delivery::BackOff(milliseconds retry_after, TimePoint now) {
  const milliseconds least(options_.retry_backoff_ms), most(options_.retry_max_backoff_ms);
  backoff_ = std::max(std::min(2 * backoff_, most), least);
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;  // xorshift64
  const double share = 0.5 + static_cast<double>(random_ >> 11) / static_cast<double>(1ull << 54);
  const auto wait = std::chrono::duration_cast<milliseconds>(backoff_ * share);
  next_try_ = now + std::max(wait, retry_after);
}

void Delivery::PutBack() { line().push_front(std::move(current_)); }

void Delivery::Count(ExporterCounts::Count* as, std::size_t spans) {
  ExporterCounts::Move(current_is_old_ ? &counts_->spooled : &counts_->in_flight, as, spans);
}

// The batch that was under way is settled.
void Delivery::Done() noexcept {
  if (current_is_old_) {
    replay_allowance_ -= static_cast<double>(current_.spans);
    spool_->Settle(current_.spans);
  }
  try {
    if (spare_.size() < kReady) spare_.push_back(std::move(current_));
  } catch (...) {
    // Its memory is freed instead.
  }
}

void Delivery::GiveUp(TimePoint now) {
  EndBatch();
  for (const Batch& batch : ready_) {
    if (spool_ != nullptr && !spool_failing_ && ToSpool(batch, now)) continue;
    ExporterCounts::Move(&counts_->in_flight, &counts_->closed, batch.spans);
  }
  ready_.clear();
}

}  // namespace tracekin
