// SPDX-License-Identifier: Apache-2.0
#include "tracekin/carriers.h"

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "propagation/blkin.h"
#include "propagation/otel_block.h"
#include "tracekin/xseg.h"
#include "tracer/span_context.h"

namespace tracekin {

namespace {

using opentracing::expected;
using opentracing::invalid_span_context_error;
using opentracing::make_unexpected;

auto NoBufferSpace() { return make_unexpected(std::make_error_code(std::errc::no_buffer_space)); }

propagation::ByteOrder OrderOf(BytesFormat format) {
  switch (format) {
    case BytesFormat::kBlkin:
      return propagation::ByteOrder::kBig;
    case BytesFormat::kCeph:
      return propagation::ByteOrder::kLittle;
    default:
      return propagation::ByteOrder::kHost;
  }
}

expected<bool> Read(BytesFormat format, const void* bytes, std::size_t size,
                    propagation::Context* context) {
  if (format == BytesFormat::kOtel) {
    return propagation::ReadOtelBlock({static_cast<const char*>(bytes), size}, context);
  }
  if (size != propagation::kTraceInfoBytes)
    return make_unexpected(opentracing::span_context_corrupted_error);
  return FromTraceInfo(propagation::ReadTraceInfo(bytes, OrderOf(format)), context);
}

}  // namespace

expected<TraceInfo> ToTraceInfo(const opentracing::SpanContext& context) noexcept {
  const SpanContext* own = SpanContext::Cast(&context);
  if (own == nullptr) return make_unexpected(invalid_span_context_error);
  return ToTraceInfo(own->Snapshot());
}

ExtractedContext FromTraceInfo(const TraceInfo& info) noexcept {
  propagation::Context context;
  const auto found = FromTraceInfo(info, &context);
  return MakeExtracted(found, std::move(context));
}

expected<std::size_t> InjectBytes(const opentracing::SpanContext& context, BytesFormat format,
                                  void* bytes, std::size_t size) noexcept {
  const SpanContext* own = SpanContext::Cast(&context);
  if (own == nullptr) return make_unexpected(invalid_span_context_error);
  const propagation::Context snapshot = own->Snapshot();
  const bool otel = format == BytesFormat::kOtel;
  const std::size_t needed =
      otel ? propagation::OtelBlockBytes(snapshot) : propagation::kTraceInfoBytes;
  if (size < needed) return NoBufferSpace();
  if (otel) {
    propagation::WriteOtelBlock(snapshot, static_cast<char*>(bytes));
  } else {
    propagation::WriteTraceInfo(ToTraceInfo(snapshot), OrderOf(format), bytes);
  }
  return needed;
}

ExtractedContext ExtractBytes(BytesFormat format, const void* bytes, std::size_t size) noexcept {
  propagation::Context context;
  const auto found = Read(format, bytes, size, &context);
  return MakeExtracted(found, std::move(context));
}

BytesWriter::BytesWriter(BytesFormat format, void* bytes, std::size_t size,
                         std::size_t* written) noexcept
    : format_(format), bytes_(bytes), size_(size), written_(written) {}

expected<void> BytesWriter::Inject(const opentracing::Tracer&,
                                   const opentracing::SpanContext& context) const {
  const auto written = InjectBytes(context, format_, bytes_, size_);
  if (!written) return make_unexpected(written.error());
  if (written_ != nullptr) *written_ = *written;
  return {};
}

BytesReader::BytesReader(BytesFormat format, const void* bytes, std::size_t size) noexcept
    : format_(format), bytes_(bytes), size_(size) {}

ExtractedContext BytesReader::Extract(const opentracing::Tracer&) const {
  return ExtractBytes(format_, bytes_, size_);
}

XsegWriter::XsegWriter(void* request, std::size_t size) noexcept : request_(request), size_(size) {}

expected<void> XsegWriter::Inject(const opentracing::Tracer&,
                                  const opentracing::SpanContext& context) const {
  const auto info = ToTraceInfo(context);
  const TraceInfo none = {};
  const int error = tracekin_xseg_inject(info ? &*info : &none, request_, size_);
  if (!info) return make_unexpected(info.error());
  if (error != 0) return make_unexpected(std::error_code(-error, std::generic_category()));
  return {};
}

XsegReader::XsegReader(const void* request, std::size_t size) noexcept
    : request_(request), size_(size) {}

ExtractedContext XsegReader::Extract(const opentracing::Tracer&) const {
  TraceInfo info;
  const int error = tracekin_xseg_extract(request_, size_, &info);
  if (error == -EBADMSG) return make_unexpected(opentracing::span_context_corrupted_error);
  if (error != 0 && error != -ENOBUFS) {
    return make_unexpected(std::error_code(-error, std::generic_category()));
  }
  return FromTraceInfo(info);
}

}  // namespace tracekin
