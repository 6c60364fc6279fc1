#include "tracekin/scope.h"

#include <atomic>
#include <new>

#include "tracer/span_context.h"
#include "tracer/thread_state.h"
#include "tracer/tracer_impl.h"
#include "tracer/ust_events.h"

namespace tracekin {

// An element of a thread's list of active spans. Apart from its Scope, for a Scope that is destroyed on another
// thread must not change this thread's list: it marks the node, and the thread that owns the list clears it away.
struct ScopeNode {
  opentracing::Span& span;
  ScopeNode* enclosing;
  bool recorded = false;  // as events
  tracekin_ust_ids ids{};
  std::atomic<bool> ended{false};  // on another thread
};

namespace {

// Of our own spans only: those of other tracers have no ids that we know.
void Enter(ScopeNode* node) noexcept {
  const SpanContext* context = SpanContext::Cast(&node->span.context());
  if (context == nullptr) return;
  node->recorded = static_cast<const TracerImpl&>(node->span.tracer()).ust(context->sampled());
  node->ids = {context->trace_id_high(), context->trace_id_low(), context->span_id(), 0};
  if (node->recorded) RecordScopeEnter(&node->ids);
}

// Takes the node that `link` points to out of this thread's list.
void Leave(ScopeNode** link) noexcept {
  ScopeNode* node = *link;
  *link = node->enclosing;
  if (node->recorded) RecordScopeExit(&node->ids);
  delete node;
}

ScopeNode*& Innermost() noexcept {
  ScopeNode*& active = ThisThread().active;
  while (active != nullptr && active->ended.load(std::memory_order_acquire)) Leave(&active);
  return active;
}

void CountMisplaced(const opentracing::Span& span) noexcept {
  if (SpanContext::Cast(&span.context()) == nullptr) return;
  const_cast<TracerImpl&>(static_cast<const TracerImpl&>(span.tracer())).ScopeMisplaced();
}

}  // namespace

Scope::Scope(opentracing::Span& span) noexcept
    : node_(new (std::nothrow) ScopeNode{span, Innermost()}) {
  if (node_ == nullptr) return;
  ThisThread().active = node_;
  Enter(node_);
}

Scope::~Scope() {
  if (node_ == nullptr) return;
  ScopeNode** link = &Innermost();
  while (*link != nullptr && *link != node_) link = &(*link)->enclosing;
  if (*link == node_) {
    Leave(link);
  } else {
    CountMisplaced(node_->span);
    node_->ended.store(true, std::memory_order_release);
  }
}

opentracing::Span* ActiveSpan() noexcept {
  const ScopeNode* active = Innermost();
  return active == nullptr ? nullptr : &active->span;
}

}  // namespace tracekin
