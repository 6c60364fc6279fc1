// SPDX-License-Identifier: Apache-2.0
#include "tracekin/scope.h"

#include <pthread.h>

#include <atomic>
#include <new>

#include "base/thread_state.h"
#include "tracer/span_context.h"
#include "tracer/tracer_impl.h"
#include "tracer/ust_events.h"

namespace tracekin {

// An element of a thread's list of active spans. It is separate from its Scope because a Scope that
// is destroyed on another thread must not change this thread's list. Such a Scope only marks the
// node, and the thread that owns the list removes it. If that thread has ended, it has marked the
// node, and the Scope frees it.
struct ScopeNode {
  enum State { kActive, kEndedElsewhere, kLeftBehind };

  opentracing::Span& span;
  ScopeNode* enclosing;
  bool recorded = false;  // true if it was recorded as events
  tracekin_ust_ids ids{};
  std::atomic<State> state{kActive};
};

namespace {

// Records an event for our own spans only, because the ids of other tracers' spans are unknown.
void Enter(ScopeNode* node) noexcept {
  const SpanContext* context = SpanContext::Cast(&node->span.context());
  if (context == nullptr) return;
  node->recorded = static_cast<const TracerImpl&>(node->span.tracer()).ust(context->sampled());
  node->ids = {context->trace_id_high(), context->trace_id_low(), context->span_id(), 0};
  if (node->recorded) RecordScopeEnter(&node->ids);
}

// Removes the node that `link` points to from this thread's list.
ScopeNode* Unlink(ScopeNode** link) noexcept {
  ScopeNode* node = *link;
  *link = node->enclosing;
  if (node->recorded) RecordScopeExit(&node->ids);
  return node;
}

ScopeNode*& Innermost() noexcept {
  ScopeNode*& active = ThisThread().active;
  while (active != nullptr && active->state.load(std::memory_order_acquire) != ScopeNode::kActive) {
    delete Unlink(&active);
  }
  return active;
}

// Runs at the end of a thread that has had Scopes. Its spans are no longer active.
void LeaveAll(void*) noexcept {
  ThisThread().leaves_scopes = false;  // a later destructor may make another Scope
  while (Innermost() != nullptr) {
    ScopeNode* node = Unlink(&ThisThread().active);
    const auto before = node->state.exchange(ScopeNode::kLeftBehind, std::memory_order_acq_rel);
    if (before == ScopeNode::kEndedElsewhere) delete node;
  }
}

// The destructor of a pthread key calls LeaveAll. A thread_local object is not an option, because
// registering its destructor acquires the loader's lock and terminates the process if there is no
// memory.
pthread_key_t key;
bool has_key = false;

__attribute__((constructor(101))) void MakeKey() {
  has_key = pthread_key_create(&key, LeaveAll) == 0;
}

// Makes LeaveAll run when the thread ends. Without the key, or memory for its value, Scopes that
// the thread leaves open are never removed.
void LeaveAllAtEnd(ThreadState* thread) noexcept {
  if (thread->leaves_scopes || !has_key) return;
  thread->leaves_scopes = pthread_setspecific(key, thread) == 0;
}

void CountMisplaced(const opentracing::Span& span) noexcept {
  if (SpanContext::Cast(&span.context()) == nullptr) return;
  const_cast<TracerImpl&>(static_cast<const TracerImpl&>(span.tracer())).ScopeMisplaced();
}

}  // namespace

Scope::Scope(opentracing::Span& span) noexcept
    : node_(new (std::nothrow) ScopeNode{span, Innermost()}) {
  if (node_ == nullptr) return;
  ThreadState& thread = ThisThread();
  LeaveAllAtEnd(&thread);
  thread.active = node_;
  Enter(node_);
}

Scope::~Scope() {
  if (node_ == nullptr) return;
  ScopeNode** link = &Innermost();
  while (*link != nullptr && *link != node_) link = &(*link)->enclosing;
  if (*link == node_) {
    delete Unlink(link);
    return;
  }
  CountMisplaced(node_->span);
  const auto before = node_->state.exchange(ScopeNode::kEndedElsewhere, std::memory_order_acq_rel);
  if (before == ScopeNode::kLeftBehind) delete node_;
}

opentracing::Span* ActiveSpan() noexcept {
  const ScopeNode* active = Innermost();
  return active == nullptr ? nullptr : &active->span;
}

}  // namespace tracekin
