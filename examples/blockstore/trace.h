// SPDX-License-Identifier: Apache-2.0
// A request's span at one peer: what a program needs of tracing, in the terms of this one.
//
// BLOCKSTORE_TRACING=0 compiles it to nothing, to measure what tracing costs. Thread-safety: a Trace by
// one thread at a time; Open() and Close() at the program's beginning and end.
#ifndef TRACEKIN_EXAMPLES_BLOCKSTORE_TRACE_H
#define TRACEKIN_EXAMPLES_BLOCKSTORE_TRACE_H

#include <cstdint>

#include "request.h"

#if BLOCKSTORE_TRACING

#include <opentracing/span.h>

#include <memory>

namespace blockstore {

class Trace {
 public:
  /// Makes the tracer of this process from TRACEKIN_... in the environment. Ends the program if that is
  /// wrong.
  static void Open(const char* service);
  static void Close();

  Trace() = default;

  /// A trace begins here.
  static Trace Begin(const char* operation);
  /// It goes on here: a child of the span whose context is in `request`.
  static Trace Accept(const char* operation, const Request& request);

  /// Puts the context into a request that is about to be sent; or clears it, for the memory was another
  /// request's.
  void Stamp(Request* request) const;

  void Event(const char* what) const;
  void Tag(const char* key, std::uint64_t value) const;
  void Tag(const char* key, const char* value) const;
  void End(bool ok);

 private:
  std::unique_ptr<opentracing::Span> span_;
};

}  // namespace blockstore

#else

namespace blockstore {

class Trace {
 public:
  static void Open(const char*) {}
  static void Close() {}
  static Trace Begin(const char*) { return {}; }
  static Trace Accept(const char*, const Request&) { return {}; }
  void Stamp(Request*) const {}
  void Event(const char*) const {}
  void Tag(const char*, std::uint64_t) const {}
  void Tag(const char*, const char*) const {}
  void End(bool) {}
};

}  // namespace blockstore

#endif

#endif  // TRACEKIN_EXAMPLES_BLOCKSTORE_TRACE_H
