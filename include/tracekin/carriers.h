// SPDX-License-Identifier: Apache-2.0
// Span contexts in the binary forms of BlkKin's world, as OpenTracing's custom carriers and by plain
// functions:
//
//   char trace[24];                                       // a field of a message of one's own
//   tracer->Inject(span->context(), tracekin::BytesWriter(tracekin::BytesFormat::kBlkin, trace, 24));
//   auto parent = tracer->Extract(tracekin::BytesReader(tracekin::BytesFormat::kBlkin, trace, 24));
//
// docs/wire-formats.md has the bytes, and what of a context they cannot say. What holds for each:
//
//  - Only a sampled context is written with ids. Any other is written as "not traced".
//  - "Not traced" is read as no context: a null pointer, and no error. What was unsampled and what was
//    never traced look the same.
//  - Contexts are those of tracekin's tracers; a foreign one is invalid_span_context_error.
//  - What is read must be the format and nothing else, to the byte. Anything else, or a trace id
//    without a span id, is span_context_corrupted_error.
//
// Ownership: carriers borrow the memory that they are made for. Thread-safety: functions of their
// arguments; whoever calls them sees to it that nobody else uses the bytes. None of them throws.
#ifndef TRACEKIN_CARRIERS_H
#define TRACEKIN_CARRIERS_H

#include <opentracing/propagation.h>
#include <opentracing/span.h>

#include <cstddef>
#include <memory>

#include "tracekin/export.h"
#include "tracekin/trace_info.h"

namespace tracekin {

/// The ids as three integers, for code that carries them by itself.
using TraceInfo = ::tracekin_trace_info;

using ExtractedContext = opentracing::expected<std::unique_ptr<opentracing::SpanContext>>;

/// The ids of `context`; all zeros unless it is sampled. Of a 128-bit trace id the lower half; if that
/// is 0, zeros.
TRACEKIN_API opentracing::expected<TraceInfo> ToTraceInfo(
    const opentracing::SpanContext& context) noexcept;

/// A sampled context with these ids; null if trace_id is 0.
TRACEKIN_API ExtractedContext FromTraceInfo(const TraceInfo& info) noexcept;

enum class BytesFormat {
  kBlkin,  // 24 bytes: trace, span and parent id, big-endian; BlkKin's blkin_trace_info_packed
  kCeph,   // 24 bytes: the same, little-endian; Ceph's encoding of blkin_trace_info
  kHost,   // 24 bytes: the same, in the order of the host; TraceInfo itself
  kOtel,   // 32 bytes, or 7 without a context: Ceph's OpenTelemetry block, with all of the trace id
};

constexpr std::size_t kMaxBytesOfFormat = 32;

/// Writes `context` to the beginning of `bytes` and returns how many bytes that took. If `size` is less
/// nothing is written, and the error is std::errc::no_buffer_space.
TRACEKIN_API opentracing::expected<std::size_t> InjectBytes(const opentracing::SpanContext& context,
                                                            BytesFormat format, void* bytes,
                                                            std::size_t size) noexcept;

/// Reads all `size` bytes.
TRACEKIN_API ExtractedContext ExtractBytes(BytesFormat format, const void* bytes,
                                           std::size_t size) noexcept;

/// InjectBytes for Tracer::Inject.
class TRACEKIN_API BytesWriter final : public opentracing::CustomCarrierWriter {
 public:
  /// `written`, if it is not null, gets what InjectBytes returned; it is left alone after an error.
  BytesWriter(BytesFormat format, void* bytes, std::size_t size,
              std::size_t* written = nullptr) noexcept;

  opentracing::expected<void> Inject(const opentracing::Tracer& tracer,
                                     const opentracing::SpanContext& context) const override;

 private:
  const BytesFormat format_;
  void* const bytes_;
  const std::size_t size_;
  std::size_t* const written_;
};

/// ExtractBytes for Tracer::Extract.
class TRACEKIN_API BytesReader final : public opentracing::CustomCarrierReader {
 public:
  BytesReader(BytesFormat format, const void* bytes, std::size_t size) noexcept;

  ExtractedContext Extract(const opentracing::Tracer& tracer) const override;

 private:
  const BytesFormat format_;
  const void* const bytes_;
  const std::size_t size_;
};

/// A `struct xseg_request` of `size` bytes that is about to be submitted; tracekin/xseg.h has the same
/// in C. After any error the request is not traced, so that it carries no ids of its last use.
/// std::errc::no_buffer_space: it has no place for ids, and is left as it is.
class TRACEKIN_API XsegWriter final : public opentracing::CustomCarrierWriter {
 public:
  XsegWriter(void* request, std::size_t size) noexcept;

  opentracing::expected<void> Inject(const opentracing::Tracer& tracer,
                                     const opentracing::SpanContext& context) const override;

 private:
  void* const request_;
  const std::size_t size_;
};

/// The same of a request that was accepted. One without a place for ids holds no context.
class TRACEKIN_API XsegReader final : public opentracing::CustomCarrierReader {
 public:
  XsegReader(const void* request, std::size_t size) noexcept;

  ExtractedContext Extract(const opentracing::Tracer& tracer) const override;

 private:
  const void* const request_;
  const std::size_t size_;
};

}  // namespace tracekin

#endif  // TRACEKIN_CARRIERS_H
