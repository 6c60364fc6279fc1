// SPDX-License-Identifier: Apache-2.0
#include "tracer/tracer_impl.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "base/clock.h"
#include "base/fork_generation.h"
#include "base/no_cancellation.h"
#include "base/thread_state.h"
#include "exporter/destination.h"
#include "propagation/binary.h"
#include "tracer/process.h"
#include "tracer/ust_events.h"

namespace tracekin {

namespace {

using opentracing::SpanReferenceType;

// Returns the reference that becomes the parent, because Zipkin supports only one parent. Prefers
// references with ids, then ChildOf to FollowsFrom, and then the first one. Returns null if there
// is no reference to one of tracekin's spans.
const SpanContext* Parent(const opentracing::StartSpanOptions& options) noexcept {
  const SpanContext* parent = nullptr;
  int best = -1;
  for (const auto& reference : options.references) {
    const SpanContext* own = SpanContext::Cast(reference.second);
    if (own == nullptr) continue;
    const int rank =
        (own->has_ids() ? 2 : 0) + (reference.first == SpanReferenceType::ChildOfRef ? 1 : 0);
    if (rank <= best) continue;
    best = rank;
    parent = own;
  }
  return parent;
}

// Returns the parent's baggage and tracestate, together with the baggage items of the other
// references whose keys the parent's baggage does not contain.
std::shared_ptr<const propagation::ContextExtras> MergeExtras(
    const opentracing::StartSpanOptions& options, const SpanContext* parent) {
  std::shared_ptr<const propagation::ContextExtras> merged =
      parent == nullptr ? nullptr : parent->extras();
  if (options.references.size() < 2) return merged;
  for (const auto& reference : options.references) {
    const SpanContext* own = SpanContext::Cast(reference.second);
    if (own == nullptr || own == parent) continue;
    const auto extras = own->extras();
    if (extras == nullptr) continue;
    for (const auto& item : extras->baggage) {
      const auto has = [&item](const auto& other) { return other.first == item.first; };
      if (merged != nullptr && std::any_of(merged->baggage.begin(), merged->baggage.end(), has)) {
        continue;
      }
      merged = propagation::WithBaggageItem(merged, item.first, item.second);
    }
  }
  return merged;
}

[[gnu::noinline, gnu::cold]] void AddLinks(const opentracing::StartSpanOptions& options,
                                           Span* span) noexcept {
  for (const auto& reference : options.references) {
    const SpanContext* own = SpanContext::Cast(reference.second);
    if (own != nullptr) span->AddLink(reference.first, *own);
  }
}

Span::Start StartTime(const opentracing::StartSpanOptions& options, bool recording) {
  const std::int64_t system = Nanoseconds(options.start_system_timestamp.time_since_epoch());
  const std::int64_t steady = Nanoseconds(options.start_steady_timestamp.time_since_epoch());
  if (system != 0 && steady != 0) return {system, steady};
  // A span that is not recorded needs its start time only if sampling.priority turns recording on
  // later. The time of the last clock tick is exact enough for that.
  const std::int64_t now = recording ? SteadyNow() : CoarseSteadyNow();
  const std::int64_t offset = WallOffset(ThisThread(), now);
  if (system != 0) return {system, Difference(system, offset)};
  if (steady != 0) return {Difference(steady, -offset), steady};
  return {now + offset, now};
}

}  // namespace

TracerImpl::TracerImpl(const Options& options,
                       std::unique_ptr<const propagation::Propagation> propagation,
                       std::shared_ptr<exporter::Exporter> exporter)
    : options_(options),
      exports_(exporter::DestinationOf(options.exporter).sends()),
      ust_sampled_(options.ust.enabled),
      ust_unsampled_(options.ust.enabled && options.ust.spans == "all"),
      propagation_(std::move(propagation)),
      sampler_(MakeSampler(options.sampler)),
      exporter_(std::move(exporter)),
      counter_publisher_(std::make_shared<CounterPublisher>(options, this)),
      resource_(std::string(exporter_->resource()).append(kPadding, '\0')) {
  exporter_->set_on_round(
      [publisher = counter_publisher_](bool last) { return publisher->Tick(last); });
  DestroyUnused();
  RegisterTracer(this);  // nothing may throw after this line
  if (exports_) exporter_->EnsureRunning();
}

TracerImpl::~TracerImpl() { counter_publisher_->Detach(); }

propagation::Context TracerImpl::NewContext(const opentracing::StartSpanOptions& options) const {
  ThreadState& thread = ThisThread();
  const SpanContext* parent = Parent(options);
  propagation::Context context;
  if (parent != nullptr && parent->has_ids()) {
    context.trace_id_high = parent->trace_id_high();
    context.trace_id_low = parent->trace_id_low();
    context.parent_span_id = parent->span_id();
    context.random_trace_id = parent->random_trace_id();
  } else {
    if (options_.trace_id_bits == 128) context.trace_id_high = RandomId(thread);
    context.trace_id_low = RandomId(thread);
    context.random_trace_id = true;
  }
  context.span_id = RandomId(thread);
  context.extras = MergeExtras(options, parent);

  if (parent != nullptr) context.decision = parent->decision();
  const bool keep = context.decision == propagation::Decision::kDebug ||
                    (context.has_decision() && options_.sampler.parent_based);
  if (!keep) {
    context.decision = sampler_->Sample(context.trace_id_low) ? propagation::Decision::kAccept
                                                              : propagation::Decision::kDeny;
  }
  return context;
}

std::unique_ptr<opentracing::Span> TracerImpl::StartSpanWithOptions(
    opentracing::string_view name, const opentracing::StartSpanOptions& options) const noexcept {
  try {
    propagation::Context context = NewContext(options);
    const bool recording = Records(context.sampled());
    auto* self = const_cast<TracerImpl*>(this);  // spans only change the counters and the queue
    auto span =
        std::make_unique<Span>(self, std::move(context), std::string_view{name.data(), name.size()},
                               StartTime(options, recording), recording);
    // The order of the tags must not affect whether they are recorded, so this tag comes first.
    if (!recording) {
      for (const auto& tag : options.tags) {
        if (tag.first == kSamplingPriority) span->SetTag(tag.first, tag.second);
      }
    }
    for (const auto& tag : options.tags) span->SetTag(tag.first, tag.second);
    if (options.references.size() > 1) AddLinks(options, span.get());
    span->RecordStart();
    return span;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void TracerImpl::SpanFinished(const SpanWriter& span, bool sampled,
                              std::uint32_t fork_generation) noexcept {
  using Shard = Accounts::Shard;
  if (span.header().truncated != 0) Count(&Shard::truncated, span.header().truncated);
  if (__builtin_expect(fork_generation != ForkGeneration(), 0)) {
    Count(&Shard::forked);  // the parent process has its own copy of this span and reports it
  } else if (!sampled || !exports_) {
    Count(&Shard::unsampled);
  } else if (exporter_->closed()) {
    Count(&Shard::closed);
  } else {
    exporter_->EnsureRunning();
    exporter_->queue().Push(span.bytes(), span.header().size, ThisThread().shard);
  }
}

void TracerImpl::Report(const SpanRecord& span) noexcept {
  SpanMade();
  SpanWriter writer(span.name);
  writer.SetRecord(span);
  SpanFinished(writer, true, ForkGeneration());
  SpanDestroyed();
}

void TracerImpl::SpanDestroyed() noexcept {
  const bool retired = retired_.load(std::memory_order_acquire);
  Count(&Accounts::Shard::destroyed);
  // Another thread may have destroyed this tracer by now.
  if (__builtin_expect(retired, 0)) DestroyUnused();
}

void TracerImpl::Retire(TracerImpl* tracer) noexcept {
  tracer->Close();
  tracer->retired_.store(true, std::memory_order_release);
  DestroyUnused();
}

// If the last span is destroyed at the same moment as its tracer retires, each of the two threads
// may miss the other's change. Preventing that would cost a fence per span. Instead, the tracer is
// destroyed by the next call of this function, when another tracer is made or retires.
void TracerImpl::DestroyUnused() noexcept {
  const NoCancellation no_cancellation;
  const auto unused = [](const TracerImpl& tracer) {
    return tracer.retired_.load(std::memory_order_acquire) && tracer.accounts_.NoSpanLeft();
  };
  while (TracerImpl* tracer = UnregisterTracer(unused)) delete tracer;
}

void TracerImpl::BeginClose() noexcept {
  exporter_->BeginClose(std::chrono::milliseconds(options_.exporter.close_timeout_ms));
}

void TracerImpl::Close() noexcept {
  BeginClose();
  exporter_->AwaitEnd();
}

bool TracerImpl::Flush(std::chrono::milliseconds timeout) noexcept {
  const auto waiting = [this] {
    const Counters now = counters();
    return now.queued + now.in_flight;
  };
  if (waiting() != 0) exporter_->Flush(timeout);
  return waiting() == 0;
}

// Reads the counts of later events in a span's life first, so that no difference becomes negative
// while other threads start and finish spans.
Counters TracerImpl::counters() const noexcept {
  using Shard = Accounts::Shard;
  Counters counters = exporter_->totals();
  counters.dropped.closed += accounts_.Sum(&Shard::closed);
  counters.dropped.fork = accounts_.Sum(&Shard::forked);
  counters.unsampled = accounts_.Sum(&Shard::unsampled);
  counters.truncated_attributes = accounts_.Sum(&Shard::truncated);
  counters.misplaced_scopes = accounts_.Sum(&Shard::misplaced_scopes);
  counters.started = accounts_.Sum(&Shard::made);
  counters.open = counters.started + counters.adopted - counters.unsampled - counters.queued -
                  counters.in_flight - counters.spooled - counters.exported -
                  counters.TotalDropped();
  return counters;
}

// Does not call counters(), because another thread of the parent may have held the locks that it
// takes.
void TracerImpl::AfterForkInChild() noexcept {
  const NoCancellation no_cancellation;
  using Shard = Accounts::Shard;
  const exporter::SpanQueue& queue = exporter_->queue();
  const std::uint64_t open = accounts_.Sum(&Shard::made) - accounts_.Sum(&Shard::unsampled) -
                             accounts_.Sum(&Shard::closed) - accounts_.Sum(&Shard::forked) -
                             queue.accepted() - queue.refused();
  counter_publisher_->AfterForkInChild();
  exporter_->AfterForkInChild();
  accounts_.ResetInChild(open);
}

opentracing::expected<void> TracerImpl::Inject(const opentracing::SpanContext& context,
                                               std::ostream& carrier) const {
  const SpanContext* own = SpanContext::Cast(&context);
  if (own == nullptr) {
    return opentracing::make_unexpected(opentracing::invalid_span_context_error);
  }
  return propagation::InjectBinary(own->Snapshot(), carrier);
}

opentracing::expected<void> TracerImpl::Inject(const opentracing::SpanContext& context,
                                               const opentracing::TextMapWriter& carrier) const {
  const SpanContext* own = SpanContext::Cast(&context);
  if (own == nullptr) {
    return opentracing::make_unexpected(opentracing::invalid_span_context_error);
  }
  return propagation_->Inject(own->Snapshot(), carrier);
}

opentracing::expected<void> TracerImpl::Inject(
    const opentracing::SpanContext& context, const opentracing::HTTPHeadersWriter& carrier) const {
  return Inject(context, static_cast<const opentracing::TextMapWriter&>(carrier));
}

opentracing::expected<std::unique_ptr<opentracing::SpanContext>> TracerImpl::Extract(
    std::istream& carrier) const {
  propagation::Context context;
  const auto found = propagation::ExtractBinary(carrier, &context);
  return MakeExtracted(found, std::move(context));
}

opentracing::expected<std::unique_ptr<opentracing::SpanContext>> TracerImpl::Extract(
    const opentracing::TextMapReader& carrier) const {
  propagation::Context context;
  const auto found = propagation_->Extract(carrier, &context);
  return MakeExtracted(found, std::move(context));
}

opentracing::expected<std::unique_ptr<opentracing::SpanContext>> TracerImpl::Extract(
    const opentracing::HTTPHeadersReader& carrier) const {
  return Extract(static_cast<const opentracing::TextMapReader&>(carrier));
}

}  // namespace tracekin
