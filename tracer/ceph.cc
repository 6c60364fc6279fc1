// SPDX-License-Identifier: Apache-2.0
#include "tracekin/ceph.h"

#include <string_view>
#include <utility>

#include "propagation/ceph_message.h"
#include "tracer/span_context.h"

namespace tracekin {

using opentracing::expected;

// Inlines all calls, because calls would be a quarter of its instructions.
[[gnu::flatten]] expected<void> InjectCeph(const opentracing::SpanContext& context,
                                           CephMessageHeader header, std::string* front) noexcept {
  const SpanContext* own = SpanContext::Cast(&context);
  if (own == nullptr) {
    return opentracing::make_unexpected(opentracing::invalid_span_context_error);
  }
  return propagation::WriteCephTrace(own->Snapshot(), header, front);
}

ExtractedContext ExtractCeph(CephMessageHeader header, const void* front,
                             std::size_t size) noexcept {
  propagation::Context context;
  const auto found =
      propagation::ReadCephTrace(header, {static_cast<const char*>(front), size}, &context);
  return MakeExtracted(found, std::move(context));
}

CephWriter::CephWriter(CephMessageHeader header, std::string* front) noexcept
    : header_(header), front_(front) {}

expected<void> CephWriter::Inject(const opentracing::Tracer&,
                                  const opentracing::SpanContext& context) const {
  return InjectCeph(context, header_, front_);
}

CephReader::CephReader(CephMessageHeader header, const void* front, std::size_t size) noexcept
    : header_(header), front_(front), size_(size) {}

ExtractedContext CephReader::Extract(const opentracing::Tracer&) const {
  return ExtractCeph(header_, front_, size_);
}

}  // namespace tracekin
