// SPDX-License-Identifier: Apache-2.0
#include "tracekin/blkin.h"

#include "integrations/blkin/process.h"

namespace tracekin {

void SetBlkinTracer(const std::shared_ptr<Tracer>& tracer, const BlkinLimits& limits) {
  blkin::SetTracer(tracer, limits);
}

bool FlushBlkin(std::chrono::milliseconds timeout) noexcept {
  blkin::Spans().ReportAll();
  const std::shared_ptr<Tracer> tracer = blkin::Spans().tracer();
  return tracer == nullptr || tracer->Flush(timeout);
}

}  // namespace tracekin
