// SPDX-License-Identifier: Apache-2.0
// Creates tracers.
//
//   tracekin::Options options;
//   options.service_name = "frontend";
//   options.exporter.endpoint = "http://127.0.0.1:9411/api/v2/spans";
//   std::string error;
//   std::shared_ptr<tracekin::Tracer> tracer = tracekin::MakeTracer(options, &error);
//   if (tracer == nullptr) ...                        // `error` says what is wrong
//   opentracing::Tracer::InitGlobal(tracer);
//
// After that, the program uses the OpenTracing API of <opentracing/tracer.h>. This header declares
// only functions that the OpenTracing API does not have.
//
// Thread-safety: every method of a tracer, and of its spans and span contexts, may be called from
// any thread at any time. Starting, changing and finishing a span never blocks, throws or makes a
// system call.
#ifndef TRACEKIN_TRACER_H
#define TRACEKIN_TRACER_H

#include <opentracing/tracer.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "tracekin/counters.h"
#include "tracekin/export.h"
#include "tracekin/options.h"
#include "tracekin/span_record.h"

namespace tracekin {

class TRACEKIN_API Tracer : public opentracing::Tracer {
 public:
  /// Returns how many spans of this process were exported, dropped and so on; see counters.h. Only
  /// reads memory.
  virtual Counters counters() const noexcept = 0;

  /// Asks the exporter thread to send the finished spans, and waits up to `timeout` until it has
  /// tried. Returns true if no span is queued or in flight afterwards. Blocks, so do not call it
  /// while handling a request.
  virtual bool Flush(std::chrono::milliseconds timeout) noexcept = 0;

  /// Asks the sampler whether to sample the trace whose id has this lower half. Programs that begin
  /// traces without StartSpan can use this. Like StartSpan, it is cheap and safe to call while
  /// handling a request.
  virtual bool Sample(std::uint64_t trace_id_low) noexcept = 0;

  /// Exports a span that was recorded elsewhere as if this tracer had started and finished it. The
  /// span belongs to this tracer's resource (options.service_name and options.tags) and is counted.
  /// It is limited to 32 KiB, and its text is made valid UTF-8. Report does not ask the sampler and
  /// does not record an LTTng event. An empty local.service_name is replaced by the service name of
  /// this tracer. Report copies everything that it needs. Collectors do not accept a span whose
  /// span id or trace id is 0, so it is counted as rejected.
  virtual void Report(const SpanRecord& span) noexcept = 0;

  // Close() flushes, ends the exporter thread and returns within exporter.close_timeout_ms. It
  // returns up to a second later if a thread of librdkafka is waiting for a name server. Spans that
  // finish after Close() are counted as dropped.closed. Destroying the last shared_ptr to a tracer
  // also closes it. Spans may outlive both Close() and that pointer, because they keep alive the
  // parts of the tracer that they use.
};

/// Makes a tracer and starts its exporter thread. If `options` are not valid, returns nullptr and
/// stores the reason in `error`. If `error` is null, passes the reason to options.logger or, if
/// there is no logger, writes it to standard error. A collector that cannot be reached is not an
/// error.
[[nodiscard]] TRACEKIN_API std::shared_ptr<Tracer> MakeTracer(
    const Options& options, std::string* error = nullptr) noexcept;

/// Same as MakeTracer, but reads the options from a JSON configuration (see configuration.h) and
/// then applies the environment variables.
[[nodiscard]] TRACEKIN_API std::shared_ptr<Tracer> MakeTracerFromJson(
    const std::string& json, std::string* error = nullptr) noexcept;

/// Same as MakeTracerFromJson, but reads the JSON from the file `path`.
[[nodiscard]] TRACEKIN_API std::shared_ptr<Tracer> MakeTracerFromFile(
    const std::string& path, std::string* error = nullptr) noexcept;

/// Same as MakeTracerFromFile, with the file that the environment variable TRACEKIN_CONFIG names.
/// Without that variable, the environment variables of the keys are the whole configuration. At
/// least TRACEKIN_SERVICE_NAME is required.
[[nodiscard]] TRACEKIN_API std::shared_ptr<Tracer> MakeTracerFromEnvironment(
    std::string* error = nullptr) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_H
