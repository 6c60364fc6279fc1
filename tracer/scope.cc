#include "tracekin/scope.h"

#include "tracer/thread_state.h"
#include "tracer/ust_events.h"

namespace tracekin {

Scope::Scope(opentracing::Span& span) noexcept : span_(span), enclosing_(ThisThread().active) {
  ThisThread().active = this;
  RecordScopeEnter(span.context());
}

Scope::~Scope() {
  RecordScopeExit(span_.context());
  Scope** link = &ThisThread().active;
  while (*link != nullptr && *link != this) link = &(*link)->enclosing_;
  if (*link == this) *link = enclosing_;
}

opentracing::Span* ActiveSpan() noexcept {
  Scope* active = ThisThread().active;
  return active == nullptr ? nullptr : &active->span_;
}

}  // namespace tracekin
