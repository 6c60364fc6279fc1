// SPDX-License-Identifier: Apache-2.0
// How a program gets a tracer.
//
//   tracekin::Options options;
//   options.service_name = "frontend";
//   options.exporter.endpoint = "http://127.0.0.1:9411/api/v2/spans";
//   std::string error;
//   std::shared_ptr<tracekin::Tracer> tracer = tracekin::MakeTracer(options, &error);
//   opentracing::Tracer::InitGlobal(tracer);
//
// From there on it is the OpenTracing API of <opentracing/tracer.h>; what is added here is what
// that API lacks.
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
  /// Where the spans of this process went so far; see counters.h. Reads memory only.
  virtual Counters counters() const noexcept = 0;

  /// Asks the exporter thread to send what has finished, and waits until it has tried, for
  /// `timeout` at most. Returns whether nothing was queued any more. Blocks: not for a request's
  /// path.
  virtual bool Flush(std::chrono::milliseconds timeout) noexcept = 0;

  /// Whether the sampler takes the trace whose id has this lower half: for who begins traces without
  /// StartSpan. As cheap as that, and as safe on a request's path.
  virtual bool Sample(std::uint64_t trace_id_low) noexcept = 0;

  /// Exports a span that was recorded elsewhere, as if it had been started and finished here: it is
  /// one of this tracer's resource (options.service_name and options.tags), is counted, bounded to 32 KiB and made valid UTF-8. No sampler is asked, and no
  /// LTTng event made. An empty local.service_name becomes this tracer's. Copies what it needs. No
  /// collector takes a span whose span id or trace id is 0: such a one is counted as rejected.
  virtual void Report(const SpanRecord& span) noexcept = 0;

  // Close() flushes, ends the exporter thread and returns after exporter.close_timeout_ms at the
  // latest, or a second later if one of librdkafka's threads hangs in a name server's answer. Spans
  // finished later are counted as dropped.closed. The last shared_ptr to a tracer
  // closes it too. Spans keep what they need of the tracer alive: they may outlive both Close() and
  // that pointer.
};

/// Makes a tracer. Returns nullptr, and the reason in `error` if it is not null, when `options` are
/// not valid. A collector that cannot be reached is not an error. Starts the exporter thread.
TRACEKIN_API std::shared_ptr<Tracer> MakeTracer(const Options& options,
                                                std::string* error = nullptr) noexcept;

/// The same from a JSON configuration (see configuration.h), with the environment applied on top.
TRACEKIN_API std::shared_ptr<Tracer> MakeTracerFromJson(const std::string& json,
                                                        std::string* error = nullptr) noexcept;

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_H
