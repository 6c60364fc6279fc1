// SPDX-License-Identifier: Apache-2.0
// Marks the span that a thread is working for.
//
// OpenTracing C++ records when a span begins and ends, but not which thread works for it in
// between. A kernel trace knows only threads, so correlating the two requires that information. A
// Scope makes a span the active span of the calling thread for the lifetime of the Scope. It
// records both ends as the LTTng events tracekin:scope_enter and tracekin:scope_exit. When a span
// moves to another thread, create another Scope there. A thread that alternates between spans nests
// their Scopes. scoped_span.h starts a span and makes its Scope in one call.
//
// Thread-safety: everything here affects only the calling thread and takes no lock.
#ifndef TRACEKIN_SCOPE_H
#define TRACEKIN_SCOPE_H

#include <opentracing/span.h>

#include "tracekin/export.h"

namespace tracekin {

struct ScopeNode;

class TRACEKIN_API Scope {
 public:
  /// Makes `span` the active span of this thread. The span is borrowed and must outlive the Scope.
  /// A span of another vendor's tracer also becomes active, but events are recorded only for
  /// tracekin's spans.
  [[nodiscard]] explicit Scope(opentracing::Span& span) noexcept;

  /// Makes the previously active span active again. Scopes may end in any order. Ending a Scope
  /// that is not the innermost one does not affect the others.
  ///
  /// A Scope that ends on another thread than it began on, for example in a coroutine that was
  /// resumed elsewhere, is counted (Counters::misplaced_scopes). The thread on which it began keeps
  /// the span, in ActiveSpan() and in the events, until it next begins or ends a Scope, asks for
  /// its active span, or exits. Scopes that are still open when the process ends have no scope_exit
  /// event.
  ~Scope();

  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  ScopeNode* const node_;  // null if out of memory: no span is made active or recorded then
};

/// Returns the span of the innermost Scope of the calling thread, or nullptr. The span is borrowed
/// and valid while that Scope lives.
[[nodiscard]] TRACEKIN_API opentracing::Span* ActiveSpan() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_SCOPE_H
