// SPDX-License-Identifier: Apache-2.0
// A request's span at one peer: everything that this example needs of tracing, in its own terms.
//
// With BLOCKSTORE_TRACING=0 it compiles to nothing, to measure the cost of tracing. Thread-safety:
// one thread at a time may use a Trace. Open() and Close() are called when the program begins and
// ends.
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
  /// Makes the tracer of this process from the TRACEKIN_... environment variables. Ends the program
  /// if they are not valid.
  static void Open(const char* service);
  static void Close();

  Trace() = default;

  /// Begins a new trace.
  static Trace Begin(const char* operation);
  /// Continues a trace with a child of the span whose context is in `request`.
  static Trace Accept(const char* operation, const Request& request);

  /// Writes the context into a request that is about to be sent, or clears it, because the memory
  /// still holds another request's context.
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
