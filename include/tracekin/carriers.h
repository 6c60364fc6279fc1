// SPDX-License-Identifier: Apache-2.0
// Reads and writes span contexts in the binary formats of BlkKin, Ceph and XSEG, through
// OpenTracing's custom carriers or through plain functions:
//
//   char trace[24];                                       // a field of your own message
//   tracer->Inject(span->context(),
//                  tracekin::BytesWriter(tracekin::BytesFormat::kBlkin, trace, 24));
//   auto parent = tracer->Extract(tracekin::BytesReader(tracekin::BytesFormat::kBlkin, trace, 24));
//
// docs/wire-formats.md describes the bytes and lists what each format cannot represent. These rules
// hold for all of them:
//
//  - Ids are written only for a sampled context. Any other context is written as "not traced".
//  - "Not traced" is read as no context: a null pointer without an error. A reader cannot tell an
//    unsampled trace from one that was never traced.
//  - Contexts must come from a tracekin tracer. Any other context fails with
//    invalid_span_context_error.
//  - The bytes that are read must match the format exactly. Anything else, or a trace id without a
//    span id, fails with span_context_corrupted_error.
//
// Ownership: carriers borrow the memory they are constructed with. Thread-safety: the functions use
// only their arguments. The caller must ensure that no other thread uses the bytes. Nothing here
// throws.
#ifndef TRACEKIN_CARRIERS_H
#define TRACEKIN_CARRIERS_H

#include <opentracing/propagation.h>
#include <opentracing/span.h>

#include <cstddef>
#include <memory>

#include "tracekin/export.h"
#include "tracekin/trace_info.h"

namespace tracekin {

/// The ids as three integers, for code that transports them itself.
using TraceInfo = ::tracekin_trace_info;

using ExtractedContext = opentracing::expected<std::unique_ptr<opentracing::SpanContext>>;

/// Returns the ids of `context`, or all zeros if it is not sampled. Only the lower half of a
/// 128-bit trace id fits. If that half is 0, all ids are 0.
TRACEKIN_API opentracing::expected<TraceInfo> ToTraceInfo(
    const opentracing::SpanContext& context) noexcept;

/// Returns a sampled context with these ids, or null if trace_id is 0.
TRACEKIN_API ExtractedContext FromTraceInfo(const TraceInfo& info) noexcept;

enum class BytesFormat {
  kBlkin,  // 24 bytes: trace, span and parent id, big-endian; BlkKin's blkin_trace_info_packed
  kCeph,   // 24 bytes: the same ids, little-endian; Ceph's encoding of blkin_trace_info
  kHost,   // 24 bytes: the same ids in host byte order; the memory of a TraceInfo
  kOtel,   // 32 bytes, or 7 without a context: Ceph's OpenTelemetry block, full trace id
};

constexpr std::size_t kMaxBytesOfFormat = 32;

/// Writes `context` to the beginning of `bytes` and returns the number of bytes written. Writes
/// nothing and fails with std::errc::no_buffer_space if `size` is too small.
TRACEKIN_API opentracing::expected<std::size_t> InjectBytes(const opentracing::SpanContext& context,
                                                            BytesFormat format, void* bytes,
                                                            std::size_t size) noexcept;

/// Reads a context from all `size` bytes.
TRACEKIN_API ExtractedContext ExtractBytes(BytesFormat format, const void* bytes,
                                           std::size_t size) noexcept;

/// Calls InjectBytes from Tracer::Inject.
class TRACEKIN_API BytesWriter final : public opentracing::CustomCarrierWriter {
 public:
  /// Stores the result of InjectBytes in `written` if that is not null. Does not change it on an
  /// error.
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

/// Calls ExtractBytes from Tracer::Extract.
class TRACEKIN_API BytesReader final : public opentracing::CustomCarrierReader {
 public:
  BytesReader(BytesFormat format, const void* bytes, std::size_t size) noexcept;

  ExtractedContext Extract(const opentracing::Tracer& tracer) const override;

 private:
  const BytesFormat format_;
  const void* const bytes_;
  const std::size_t size_;
};

/// Writes a context into a `struct xseg_request` of `size` bytes that is about to be submitted.
/// tracekin/xseg.h offers the same in C. After any error the request is not traced, so that it does
/// not carry the ids of its previous use. Fails with std::errc::no_buffer_space, without changing
/// the request, if it does not have a field for ids.
class TRACEKIN_API XsegWriter final : public opentracing::CustomCarrierWriter {
 public:
  XsegWriter(void* request, std::size_t size) noexcept;

  opentracing::expected<void> Inject(const opentracing::Tracer& tracer,
                                     const opentracing::SpanContext& context) const override;

 private:
  void* const request_;
  const std::size_t size_;
};

/// Reads the context of a request that was accepted. A request without a field for ids has no
/// context.
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
