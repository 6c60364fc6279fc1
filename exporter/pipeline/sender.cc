// SPDX-License-Identifier: Apache-2.0
#include "exporter/pipeline/sender.h"

#include <locale.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/library_at_work.h"
#include "base/one_line.h"
#include "base/standard_descriptors.h"

namespace tracekin::exporter {

namespace {

// Short enough for a std::string to store without an allocation.
constexpr std::string_view kOutOfMemory = "out of memory";
static_assert(kOutOfMemory.size() <= 15);

// Makes error messages of this thread English. In the host's locale, the C library would look for
// their translation in a language that the environment names, and the host may be changing its
// environment.
void UseCLocale() noexcept {
  const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);  // does not allocate
  if (c != nullptr) uselocale(c);
}

}  // namespace

Sender::Sender(std::string_view resource, const MakeEncoder& make_encoder,
               const MakeTransport& make_transport, std::function<void()> on_outcome)
    : resource_(resource),
      make_encoder_(make_encoder),
      make_transport_(make_transport),
      on_outcome_(std::move(on_outcome)) {}

// Tries to make the transport if the sender is eager. Failures are not reported here, because they
// will occur again with the first batch.
void Sender::BeReady() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ready_) return;
  }
  Try(nullptr);
  const std::lock_guard<std::mutex> lock(mutex_);
  ready_ = true;
  now_ready_.notify_all();
}

void Sender::AwaitReady(TimePoint deadline) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  now_ready_.wait_until(lock, deadline, [this] { return ready_; });
}

void Sender::Run() noexcept {
  UseCLocale();
  BeReady();
  while (const Batch* batch = AwaitBatch()) {
    Outcome outcome = Try(batch);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      outcome_ = std::move(outcome);
    }
    on_outcome_();
  }
  EndTransport();
}

// Waits for the next batch. Returns null when the thread must end.
const Batch* Sender::AwaitBatch() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || (batch_ != nullptr && !outcome_); });
  return stop_ ? nullptr : batch_;
}

// Makes the encoder and the transport if necessary, and sends `batch` unless it is null. If
// anything throws, including a host's own transport, the batch fails and the thread continues.
Outcome Sender::Try(const Batch* batch) noexcept {
  Outcome outcome;
  try {
    try {
      // libcurl and librdkafka open descriptors themselves.
      const StandardDescriptorsTaken taken;
      MakeParts();
      if (batch != nullptr) Send(*batch, &outcome);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      outcome.result.message = error.what();
    } catch (...) {
      outcome.result.message = "an exception of unknown type";
    }
  } catch (...) {  // no memory to send it, or for the error message
    outcome.no_memory = true;
    outcome.result.message.assign(kOutOfMemory);
  }
  return outcome;
}

// Makes the encoder and the transport. If that fails, the next batch tries again.
void Sender::MakeParts() {
  if (encoder_ == nullptr) encoder_ = make_encoder_();
  if (owned_transport_ != nullptr) return;
  {
    // Held here, because a module has its own copy of this class, which does not stop forks.
    const LibraryAtWork at_work;
    owned_transport_ = make_transport_();
  }
  transport_ = owned_transport_.get();
  const std::lock_guard<std::mutex> lock(mutex_);
  owned_transport_->Interrupt(interrupt_);
}

void Sender::Send(const Batch& batch, Outcome* outcome) {
  const std::size_t spans = Encode(batch, outcome);
  if (spans == 0) {
    outcome->result.status = SendStatus::kAccepted;  // nothing to send
    return;
  }
  outcome->result = owned_transport_->Send(body_, deadline_);
  // A program's own transport may report any number.
  outcome->result.rejected = std::min(outcome->result.rejected, spans);
  // The message of a program's own transport may have any content, but the log gets one line.
  outcome->result.message = OneLine(outcome->result.message);
}

// Encodes the batch into `body_`. Returns the number of spans in it, and counts the others in
// `outcome`.
std::size_t Sender::Encode(const Batch& batch, Outcome* outcome) {
  body_.clear();
  const ResourceReader reader(batch.resource.empty() ? resource_ : batch.resource);
  encoder_->Begin(reader.resource(), &body_);
  std::size_t spans = 0;
  SpanDecoder decoder(reader.resource().service_name);
  batch.ForEach([&](const char* span) {
    const std::size_t before = body_.size();
    try {
      const SpanRecord& record = decoder.Decode(span);
      if (encoder_->Takes(record)) {
        encoder_->Add(record, &body_);
        ++spans;
      } else {
        ++outcome->without_ids;
      }
    } catch (const std::bad_alloc&) {
      body_.resize(before);
      ++outcome->unencoded;
    }
  });
  encoder_->End(spans, &body_);
  return spans;
}

// Destroys the transport on this thread, before it ends. librdkafka's threads must have ended when
// the process exits, because OpenSSL is cleaned up then. Forks wait in the meantime, just as while
// the transport is made.
void Sender::EndTransport() noexcept {
  const LibraryAtWork at_work;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    transport_ = nullptr;
  }
  owned_transport_.reset();
}

void Sender::Give(const Batch* batch, TimePoint deadline) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  batch_ = batch;
  deadline_ = deadline;
  changed_.notify_one();
}

std::optional<Outcome> Sender::Take() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (outcome_) batch_ = nullptr;
  return std::exchange(outcome_, std::nullopt);
}

void Sender::Stop() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  stop_ = true;
  changed_.notify_one();
}

void Sender::Interrupt(TimePoint deadline) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  interrupt_ = std::min(interrupt_, deadline);
  if (Transport* transport = transport_) transport->Interrupt(deadline);
}

void Sender::AbandonAfterFork() noexcept {
  if (Transport* transport = transport_) transport->AbandonAfterFork();
}

}  // namespace tracekin::exporter
