// SPDX-License-Identifier: Apache-2.0
// Determines the severity of a log entry from its fields: `level` or `severity` with one of the
// usual names, or `event=error` as in OpenTracing's conventions ("Log fields table").
//
// Thread-safety: pure functions.
#ifndef TRACEKIN_TRACER_SEVERITY_H
#define TRACEKIN_TRACER_SEVERITY_H

#include <opentracing/value.h>

#include <algorithm>
#include <string_view>

#include "ust/recorder.h"

namespace tracekin {

/// Returns the severity that a field specifies, or DEBUG by default. Names are not case-sensitive.
tracekin_ust_level SeverityOf(std::string_view key, const opentracing::Value& value) noexcept;

/// Returns the highest severity of the fields. `Fields` is a sequence of pairs of a string and a
/// Value.
template <class Fields>
tracekin_ust_level SeverityOf(const Fields& fields) noexcept {
  tracekin_ust_level most = TRACEKIN_UST_DEBUG;
  for (const auto& field : fields) {
    most = std::max(most, SeverityOf({field.first.data(), field.first.size()}, field.second));
  }
  return most;
}

}  // namespace tracekin

#endif  // TRACEKIN_TRACER_SEVERITY_H
