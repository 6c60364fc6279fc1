// SPDX-License-Identifier: Apache-2.0
#include "tracekin/scoped_span.h"

namespace tracekin {

ScopedSpan StartActiveSpan(
    const opentracing::Tracer& tracer, opentracing::string_view name,
    std::initializer_list<opentracing::option_wrapper<opentracing::StartSpanOption>>
        options) noexcept {
  opentracing::StartSpanOptions all;
  for (const auto& option : options) option.get().Apply(all);
  const opentracing::Span* const active = all.references.empty() ? ActiveSpan() : nullptr;
  if (active != nullptr) opentracing::ChildOf(&active->context()).Apply(all);
  return ScopedSpan(tracer.StartSpanWithOptions(name, all));
}

}  // namespace tracekin
