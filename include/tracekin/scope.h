// SPDX-License-Identifier: Apache-2.0
// The span that a thread works for.
//
// OpenTracing C++ says when a span begins and ends, not which thread works for it in between. A
// kernel trace knows threads only, so that second fact is what ties the two together: a Scope makes
// a span the active one of the calling thread for as long as the Scope lives, and records both
// moments as the LTTng events tracekin:scope_enter and tracekin:scope_exit. A span that moves to
// another thread gets another Scope there; a thread that works for several spans in turn nests
// them.
//
// Thread-safety: everything here concerns the calling thread alone and takes no lock.
#ifndef TRACEKIN_SCOPE_H
#define TRACEKIN_SCOPE_H

#include <opentracing/span.h>

#include "tracekin/export.h"

namespace tracekin {

struct ScopeNode;

class TRACEKIN_API Scope {
 public:
  /// Makes `span` the active span of this thread. Borrows it: the span must outlive the Scope. A
  /// span of another vendor's tracer is made active too, but only tracekin's spans are recorded as
  /// events.
  explicit Scope(opentracing::Span& span) noexcept;

  /// Makes the span that was active before the active one again. Scopes may end in any order; one
  /// that is not the innermost leaves the others as they are.
  ///
  /// A Scope that ends on another thread than it began on, as where a coroutine is resumed
  /// elsewhere, is counted (Counters::misplaced_scopes). Its thread stops to work for the span, in
  /// ActiveSpan() as in the events, when it next begins or ends a Scope, asks for its active span,
  /// or ends. Scopes that are open when the process ends have no scope_exit event.
  ~Scope();

  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  ScopeNode* const node_;  // null without memory: nothing is active or recorded then
};

/// The span of the innermost Scope of the calling thread, or nullptr. Borrowed: valid while that
/// Scope lives.
TRACEKIN_API opentracing::Span* ActiveSpan() noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_SCOPE_H
